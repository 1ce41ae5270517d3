"""How an index moves when a loop variable does, as far as the text shows it."""

from __future__ import annotations

from collections import Counter

from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Expression, Operation, Region, Variable
from somd.transforms.loops.walking import elements, statements_in


def unit_stride(index: Expression, variable: str) -> bool:
    """Whether `index` is `variable` plus something that does not mention it."""
    if isinstance(index, Variable):
        return index.name == variable
    if not isinstance(index, Operation) or index.operator not in ("+", "-"):
        return False
    left, right = index.operands
    if variable in read_in(left) and variable not in read_in(right):
        return unit_stride(left, variable)
    return index.operator == "+" and variable not in read_in(left) and unit_stride(right, variable)


def fastest_first(region: Region) -> tuple[int, ...]:
    """The numbers of a region's dimensions in the order of OpenCL's, in the first of which work-items are neighbours:
    the one whose neighbours touch neighbouring elements most often, or else the innermost; then the others, inner ones
    first."""
    variables = [loop.variable.name for loop in region.loops]
    votes: Counter[str] = Counter()
    for element in (each for node in statements_in(region.body) for each in elements(node)):
        votes.update(name for name in variables if unit_stride(element.indices[-1], name))
    inner_first = tuple(reversed(range(region.depth)))
    fastest = max(inner_first, key=lambda number: votes[variables[number]])
    return (fastest, *(number for number in inner_first if number != fastest))
