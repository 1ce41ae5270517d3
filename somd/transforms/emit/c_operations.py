"""Operators of the loop program -> C. Operands have the types that the operator takes; casts are nodes of their own."""

from __future__ import annotations

from somd.transforms.emit import c_calls, c_complex
from somd.transforms.emit.c_operators import COMPARISONS, binary, comparison, unary
from somd.transforms.emit.c_tree import C, call, infix
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.calls_to_loops import SYMBOLS
from somd.transforms.types.scalars import ScalarType

_ARITHMETIC = frozenset(SYMBOLS.values())
_UNARY = ("neg", "pos", "~", "not")
_JOINED = {"and": "&&", "or": "||"}


def operation(operator: str, operands: list[C], type_: ScalarType, unit: Unit) -> C:
    """An operator on operands; `type_` is that of the result.

    Raises:
        TargetLacks: it has no form in OpenCL C.
    """
    of_python = operator.startswith("python ")
    symbol = operator.removeprefix("python ")
    if symbol in _ARITHMETIC:
        # what an interval says not to wrap is computed as it is
        result = ScalarType(type_.dtype, of_python or type_.dtype == "int64" or _of_ints(symbol, operands))
        return binary(symbol, operands[0], operands[1], result, unit)
    if operator in COMPARISONS:
        return comparison(operator, operands[0], operands[1], unit)
    if operator in _JOINED:
        return infix(_JOINED[operator], operands[0], operands[1], "bool")
    if operator in _UNARY:
        return unary(operator, operands[0], ScalarType(type_.dtype, type_.dtype == "int64"))
    if operator == "joined *":
        return c_complex.joined(operands[0], operands[1], unit)
    room, _, name = operator.rpartition(".")
    if room == "math":
        return c_calls.math_call(name, operands, type_, unit)
    if room == "cmath":
        return c_complex.function(name, operands, type_, unit)
    if room == "np":
        return c_calls.numpy_call(name, operands, type_, unit)
    return _own(operator, operands, type_, unit)


def _of_ints(symbol: str, operands: list[C]) -> bool:
    """Whether integers are divided, exactly."""
    return symbol == "/" and operands[0].dtype == "int64"


def _own(operator: str, operands: list[C], type_: ScalarType, unit: Unit) -> C:
    """What neither is a symbol nor a function of a library."""
    dtype = type_.dtype
    if operator in ("min", "max", "trips"):
        return call(unit.function(operator, dtype), dtype, *operands)
    if operator in ("rint", "fma"):
        return call(operator, dtype, *operands)
    if operator == "conj":
        return c_complex.conjugate(operands[0], unit)
    if operator == "complex":
        return c_complex.made(operands, type_)
    if operator == "abs" and c_complex.is_complex(operands[0]):
        return c_complex.function("abs", operands, type_, unit)
    if operator == "abs":
        return c_calls.absolute(operands[0], unit)
    assert operator == "round", operator
    return c_calls.rounded(operands, ScalarType(dtype, weak=True), unit)
