"""The operators of reductions in C: where an accumulator starts, and how two of them are combined."""

from __future__ import annotations

import libcst as cst
import numpy as np

from somd.language.operators import JOINED, NO_PRODUCT, OPERATORS
from somd.transforms.emit.c_complex import joined
from somd.transforms.emit.c_operators import binary
from somd.transforms.emit.c_tree import UNARY, C, call, infix
from somd.transforms.emit.c_types import CTYPES, bits, kind_of, literal, part_of
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.calls_to_loops import SYMBOLS
from somd.transforms.types.scalars import ScalarType


def identity(op: str, dtype: str) -> C:
    """What an accumulator starts with."""
    if dtype in NO_PRODUCT and OPERATORS[op].of_complex is not None:
        part = part_of(dtype)
        words = [f"as_{CTYPES[part]}({literal(word, f'uint{bits(part)}').text})" for word in NO_PRODUCT[dtype]]
        return C(f"({CTYPES[dtype]})({', '.join(words)})", dtype, UNARY)
    return literal(OPERATORS[op].neutral(np.dtype(dtype)), dtype)


def by_position(op: str, dtype: str) -> bool:
    """Whether of equal values the first must win: a float minimum may be 0.0 or -0.0."""
    return bool(OPERATORS[op].better) and kind_of(dtype) == "f"


def combined(op: str, left: C, right: C, dtype: str, unit: Unit) -> C:
    """Two accumulators as one, for the operators that need no test."""
    operator = OPERATORS[op].of_kind(kind_of(dtype))
    meaning = cst.parse_expression(operator.of("left", "right"))
    if isinstance(meaning, cst.BinaryOperation):
        return binary(SYMBOLS[type(meaning.operator)], left, right, ScalarType(dtype), unit)
    if isinstance(meaning, cst.BooleanOperation):
        return infix(operator.of_bools, left, right, dtype)
    if operator is JOINED:
        return joined(left, right, unit)
    function = cst.ensure_type(cst.ensure_type(meaning, cst.Call).func, cst.Attribute)
    return call(unit.function(function.attr.value, dtype), dtype, left, right)
