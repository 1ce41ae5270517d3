"""Arrays of integers that a region updates wherever data says, in any order: `h[e] += v`, `h[e] = max(h[e], v)`.

In: a region with arrays that a fence combines. Out: what is updated, and how; None where the order of updates may be
seen in the result, or OpenCL 1.2 has no atomic operation for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.emit.c import extremum_of, without_casts
from somd.transforms.loops.program import (
    Cast,
    CombinedArray,
    Constant,
    Element,
    Expression,
    Loop,
    Operation,
    Region,
    Store,
    While,
)
from somd.transforms.loops.walking import statements_in
from somd.transforms.opencl.atomic_functions import BUILTIN

#: a constant increment at most that is counted in 32 bits on the way to 64
SMALL = 1 << 15


@dataclass(frozen=True)
class Counted:
    """One updated array. `weight` is what the updates of a trip add at most, where that is known; 0 otherwise."""

    array: str
    op: str
    dtype: str
    weight: int

    @property
    def wide(self) -> bool:
        return self.dtype.endswith("64")

    @property
    def words(self) -> int:
        """Words of 32 bits for an element in local memory."""
        return 2 if self.wide and not self.weight else 1


def counted_in(region: Region) -> tuple[Counted, ...] | None:
    """The arrays that a region updates, if that is all that it does to arrays and the order does not matter."""
    other = region.reductions or region.relaxed or region.handed_on or region.ordered_if or region.local_arrays
    if other or set(region.written) != {each.array for each in region.combined}:
        return None
    found = [_counted(each, region) for each in region.combined]
    counted = tuple(each for each in found if each is not None)
    return counted if len(counted) == len(found) else None


def _counted(combined: CombinedArray, region: Region) -> Counted | None:
    stores = [node for node in statements_in(region.body) if isinstance(node, Store)]
    updates = [node for node in stores if node.element.array == combined.array]
    dtype = updates[0].element.type.dtype
    operators = {"int32": BUILTIN, "uint32": BUILTIN, "int64": "+&|^", "uint64": "+&|^"}.get(dtype, "")
    if combined.op not in operators or not all(map(_is_exact, updates)):
        return None
    steady = all(loop.hull is None for loop in region.loops) and region.depth <= 2 and not has_loops(region)
    values = [without_casts(combined_with(node)[0]) for node in updates]
    small = [abs(int(each.value.real)) for each in values if isinstance(each, Constant)]
    known = combined.op == "+" and steady and len(small) == len(values) and max(small) <= SMALL
    return Counted(combined.array, combined.op, dtype, sum(small) if known else 0)


def has_loops(region: Region) -> bool:
    """Whether an iteration has loops."""
    return any(isinstance(each, Loop | While) for each in statements_in(region.body))


def combined_with(node: Store) -> tuple[Expression, bool]:
    """What an update combines its element with, and whether it is subtracted."""
    value = without_casts(node.value)
    assert isinstance(value, Operation)
    first, second = value.operands
    target, own = node.element, without_casts(first)
    same = isinstance(own, Element) and (own.array, own.indices) == (target.array, target.indices)
    return second if same else first, value.operator == "-"


def _is_exact(node: Store) -> bool:
    """Whether an update makes an integer, and of a minimum or maximum one that fits: then the order does not matter."""
    value = node.value
    while isinstance(value, Cast) and value.type.kind in "iu":
        value = value.operand
    if not isinstance(value, Operation) or len(value.operands) != 2 or value.type.kind not in "iu":
        return False
    return value.type == node.element.type if extremum_of(value) else True
