"""The operators of reductions in C: where an accumulator starts, and how two of them are combined."""

from __future__ import annotations

import libcst as cst
import numpy as np

from somd.language.operators import OPERATORS
from somd.transforms.opencl.c_operators import binary
from somd.transforms.opencl.c_tree import C, call, infix
from somd.transforms.opencl.c_types import kind_of, literal
from somd.transforms.opencl.unit import Unit
from somd.transforms.types.scalars import ScalarType


def identity(op: str, dtype: str) -> C:
    """What an accumulator starts with."""
    return literal(OPERATORS[op].neutral(np.dtype(dtype)), dtype)


def by_position(op: str, dtype: str) -> bool:
    """Whether of equal values the first must win: a float minimum may be 0.0 or -0.0."""
    return bool(OPERATORS[op].better) and kind_of(dtype) == "f"


def combined(op: str, left: C, right: C, dtype: str, unit: Unit) -> C:
    """Two accumulators as one, for the operators that need no test."""
    operator = OPERATORS[op]
    meaning = cst.parse_expression(operator.of("left", "right"))
    if isinstance(meaning, cst.BinaryOperation):
        return binary(type(meaning.operator), left, right, ScalarType(dtype), unit)
    if isinstance(meaning, cst.BooleanOperation):
        return infix(operator.of_bools, left, right, dtype)
    function = cst.ensure_type(cst.ensure_type(meaning, cst.Call).func, cst.Attribute)
    return call(unit.function(function.attr.value, dtype), dtype, left, right)
