"""The operators of reductions in C: where an accumulator starts, and how two of them are combined."""

from __future__ import annotations

import libcst as cst
import numpy as np

from somd.transforms.opencl.c_operators import binary
from somd.transforms.opencl.c_tree import C, infix
from somd.transforms.opencl.c_types import kind_of, literal
from somd.transforms.opencl.unit import Unit
from somd.transforms.types.scalars import ScalarType


def identity(op: str, dtype: str) -> C:
    """What an accumulator starts with; -0.0 for sums, so that a sum of nothing changes no sign."""
    kind = kind_of(dtype)
    if op == "+" and kind == "c":
        return literal(complex(-0.0, -0.0), dtype)
    if op == "+":
        return literal(-0.0 if kind == "f" else 0, dtype)
    if op == "*":
        return literal(1, dtype)
    if op in ("min", "max"):
        return _extreme(dtype, largest=op == "min")
    if op == "&":
        return literal(1 if kind == "b" else -1 if kind == "i" else int(np.iinfo(dtype).max), dtype)
    return literal(op == "and", dtype)


def _extreme(dtype: str, largest: bool) -> C:
    kind = kind_of(dtype)
    if kind == "b":
        return literal(largest, dtype)
    if kind == "f":
        return literal(np.inf if largest else -np.inf, dtype)
    limits = np.iinfo(dtype)
    return literal(int(limits.max if largest else limits.min), dtype)


def by_position(op: str, dtype: str) -> bool:
    """Whether of equal values the first must win: a float minimum may be 0.0 or -0.0."""
    return op in ("min", "max") and kind_of(dtype) == "f"


def combined(op: str, left: C, right: C, dtype: str, unit: Unit) -> C:
    """Two accumulators as one, for the operators that need no test."""
    if op in ("+", "*"):
        return binary(cst.Add if op == "+" else cst.Multiply, left, right, ScalarType(dtype), unit)
    symbol = {"and": "&", "or": "|"}.get(op, op)
    return infix(symbol, left, right, dtype)
