"""Loops that look for the best element of a row, by themselves or with its place, as machine code may look for it.

In: a loop. Out: what it keeps of which row, or nothing where it does anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from somd.transforms.loops.making import operation
from somd.transforms.loops.program import PROVED, Assign, Element, Expression, If, Loop, Operation, Variable
from somd.transforms.loops.rows import stays

#: the bytes of elements that vectors of places go with
SIZES = (4, 8)


@dataclass(frozen=True)
class ExtremeRow:
    """The scalars that keep the best of the elements of a row, and its place or whether some are nan; `symbol` says
    what is better, and `odd` whether nan is better than any number."""

    best: Variable
    beside: Variable
    row: Element
    symbol: str
    odd: bool


def place_in_row(loop: Loop) -> ExtremeRow | None:
    """`for j in range(lo, hi): if a[i, j] > m: m, p = a[i, j], j`, in any order and with nan or without."""
    match loop.body:
        case [If(test=test, body=[Assign(first, one), Assign(second, other)], orelse=())]:
            pass
        case _:
            return None
    (best, element), (place, number) = (first, one), (second, other)
    if not isinstance(element, Element):
        (best, element), (place, number) = (second, other), (first, one)
    if not isinstance(element, Element) or not _is_variable(number, loop) or place.type.dtype != "int64":
        return None
    for symbol in ("<", ">"):
        for odd in (False, True):
            if test == better(symbol, element, best, odd):
                found = ExtremeRow(best, place, element, symbol, odd)
                return found if best != place and _is_row(element, loop, {best.name, place.name}) else None
    return None


def quick_extreme_of_row(loop: Loop) -> ExtremeRow | None:
    """What `passes/extremes.py` makes of a loop that keeps an extreme."""
    match loop.body:
        case [
            Assign(new, Element() as row),
            Assign(quick, Operation(operator="quick maximum" | "quick minimum" as name, operands=operands)),
            Assign(odd, Operation(operator="|", operands=others)),
        ]:
            known = operands == (new, quick) and others == (odd, operation("!=", new, new))
            if known and _is_row(row, loop, {quick.name, odd.name, new.name}):
                return ExtremeRow(quick, odd, row, ">" if name.endswith("maximum") else "<", True)
    return None


def better(symbol: str, element: Expression, best: Expression, odd: bool) -> Operation:
    """Whether an element is better than the best before it; with `odd`, nan than all but nan."""
    plain = operation(symbol, element, best)
    if not odd:
        return plain
    nan = operation("and", operation("!=", element, element), operation("==", best, best))
    return operation("or", plain, nan)


def _is_variable(node: Expression, loop: Loop) -> bool:
    return isinstance(node, Variable) and node.name == loop.variable.name


def _is_row(element: Element, loop: Loop, kept: set[str]) -> bool:
    """Whether elements are those of one row, one after the other, of numbers that vectors have."""
    dtype, changed = np.dtype(element.type.dtype), {*kept, loop.variable.name}
    plain = element.access == PROVED and element.relaxed is None and not loop.aligned and not loop.in_vectors
    plain = plain and dtype.kind in "fiu" and dtype.itemsize in SIZES and loop.by == 1
    along = _is_variable(element.indices[-1], loop) and all(stays(each, changed) for each in element.indices[:-1])
    limits = stays(loop.start, changed) and stays(loop.stop, changed)
    return plain and along and limits
