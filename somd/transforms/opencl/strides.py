"""How an index moves when a loop variable does, as far as the text shows it."""

from __future__ import annotations

from collections import Counter

from somd.transforms.loops.program import Region
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.walking import elements, statements_in


def fastest_first(region: Region) -> tuple[int, ...]:
    """The numbers of a region's dimensions in the order of OpenCL's, in the first of which work-items are neighbours:
    the one whose neighbours touch neighbouring elements most often, or else the innermost; then the others, inner ones
    first."""
    variables = [loop.variable.name for loop in region.loops]
    votes: Counter[str] = Counter()
    for element in (each for node in statements_in(region.body) for each in elements(node)):
        votes.update(name for name in variables if moves_with(element.indices[-1], name))
    inner_first = tuple(reversed(range(region.depth)))
    fastest = max(inner_first, key=lambda number: votes[variables[number]])
    return (fastest, *(number for number in inner_first if number != fastest))
