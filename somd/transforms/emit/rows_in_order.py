"""Elements that are counted along rows: of `a[k // n, k % n]`, the number k and the length n.

So a sum of all elements of an array of several axes goes through it (`arrays/float_sums.py`). In an array in C order
whose rows have that length it is element k, for which nothing has to be divided.
"""

from __future__ import annotations

from typing import NamedTuple

from somd.transforms.loops.program import Element, Expression, Operation, Tested


class Counted(NamedTuple):
    """An element by the number that it has among those with the same `leading` indexes; `lengths` are those of the
    other axes but the first."""

    leading: tuple[Expression, ...]
    place: Expression
    lengths: tuple[Expression, ...]


def counted(node: Element) -> Counted | None:
    """An element as one that is counted, if its indexes say so."""
    if isinstance(node.access, Tested) or node.relaxed is not None or len(node.indices) < 2:
        return None
    *others, last = node.indices
    found = _parts(last, "%")
    if found is None:
        return None
    place, lengths = found[0], [found[1]]
    quotient = (place, lengths[0])
    while others:
        index = others.pop()
        if _parts(index, "//") == quotient:
            return Counted(tuple(others), place, tuple(lengths))
        found = _parts(index, "%")
        if found is None or _parts(found[0], "//") != quotient:
            return None
        quotient = found
        lengths.insert(0, found[1])
    return None


def _parts(node: Expression, operator: str) -> tuple[Expression, Expression] | None:
    if not isinstance(node, Operation) or node.operator != operator or node.type.dtype != "int64":
        return None
    left, right = node.operands
    return left, right
