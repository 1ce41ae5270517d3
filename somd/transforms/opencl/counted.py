"""Arrays of integers that a nest updates wherever data says, in any order: `h[e] += v`, `h[e] = max(h[e], v)`.

In: a nest with arrays that a fence combines. Out: the operand of each update; None where the order of updates may be
seen in the result, or OpenCL 1.2 has no atomic operation for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst
import numpy as np

from somd.transforms.analysis.array_updates import Update, updates_of
from somd.transforms.analysis.reductions import normalised
from somd.transforms.opencl.atomic_functions import BUILTIN
from somd.transforms.stages import Method, Nest
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.walking import children_of
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types

#: a constant increment at most that is counted in 32 bits on the way to 64
SMALL = 1 << 15


@dataclass(frozen=True)
class Counted:
    """One updated array: `values` gives the operand of each update, and whether it is subtracted. `weight` is what the
    updates of a trip add at most, where that is known; 0 otherwise."""

    array: str
    op: str
    dtype: str
    values: Mapping[cst.CSTNode, tuple[cst.BaseExpression, bool]]
    weight: int

    @property
    def wide(self) -> bool:
        return self.dtype.endswith("64")

    @property
    def words(self) -> int:
        """Words of 32 bits for an element in local memory."""
        return 2 if self.wide and not self.weight else 1


def counted_in(nest: Nest, method: Method, types: Types) -> tuple[Counted, ...] | None:
    """The arrays that a nest updates, if that is all that it does to arrays and the order does not matter."""
    other = nest.reductions or nest.relaxed is not None or nest.copies or nest.in_order_if or nest.local_arrays
    if other or set(nest.arrays_written) != {each.array for each in nest.combined}:
        return None
    counted = [_counted(each.array, each.op, nest, method, types) for each in nest.combined]
    found = tuple(each for each in counted if each is not None)
    return found if len(found) == len(counted) else None


def _counted(array: str, op: str, nest: Nest, method: Method, types: Types) -> Counted | None:
    kind = types.names[array]
    assert isinstance(kind, ArrayType)
    operators = {"int32": BUILTIN, "uint32": BUILTIN, "int64": "+&|^", "uint64": "+&|^"}.get(kind.dtype, "")
    updates = updates_of(array, nest.body, method)
    values = {update.node: _operand(update, kind.dtype, types) for update in updates}
    known = {node: value for node, value in values.items() if value is not None}
    if op not in operators or len(known) < len(values):
        return None
    steady = all(dim.invariant for dim in nest.dims) and len(nest.dims) <= 2 and not has_loops(nest)
    sizes = [integer_constant(value, method) for value, _ in known.values()]
    small = [abs(size) for size in sizes if size is not None and abs(size) <= SMALL]
    weight = sum(small) if op == "+" and steady and len(small) == len(sizes) else 0
    return Counted(array, op, kind.dtype, known, weight)


def has_loops(node: Nest | cst.CSTNode) -> bool:
    nodes = node.body if isinstance(node, Nest) else children_of(node)
    return any(isinstance(each, cst.For | cst.While) or has_loops(each) for each in nodes)


def _operand(update: Update, dtype: str, types: Types) -> tuple[cst.BaseExpression, bool] | None:
    """What an update combines the element with, and whether it is subtracted; None where the order matters: the result
    may be no integer, or not fit."""
    node = update.node
    if isinstance(node, cst.AugAssign):
        result, value = types.nodes.get(node), types.nodes.get(node.value)
        kinds = [found.kind if isinstance(found, ScalarType) else "i" for found in (result, value)]
        exact = kinds[0] in "iu" and kinds[1] in "iub"
        return (node.value, isinstance(node.operator, cst.SubtractAssign)) if exact else None
    call = node.value if isinstance(node, cst.Assign) else None
    if update.op not in ("min", "max") or not isinstance(call, cst.Call) or len(call.args) != 2:
        return None
    target = normalised(update.target)
    others = [arg.value for arg in call.args if normalised(arg.value) != target]
    found = types.nodes.get(others[0]) if len(others) == 1 else None
    fits = isinstance(found, ScalarType) and np.can_cast(found.dtype, dtype, "safe") and found.kind in "iu"
    return (others[0], False) if fits else None
