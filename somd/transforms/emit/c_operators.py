"""Operators on C expressions with NumPy's meaning: conversion, wrapping, Python's division, exact comparison.

In: operands with their NumPy types and the type of the result (NEP 50, found by inference). Out: a C expression.
"""

from __future__ import annotations

from dataclasses import replace

from somd.elementary.functions import POWERS
from somd.transforms.emit import c_complex
from somd.transforms.emit.c_tree import C, call, infix, prefix
from somd.transforms.emit.c_types import CTYPES, bits, cast, converted, kind_of, literal
from somd.transforms.emit.c_unit import Unit
from somd.transforms.types.scalars import FLOAT, ScalarType

PLAIN = ("+", "-", "*", "/")
BITWISE = ("&", "|", "^")
#: operators that functions of the prelude compute
CALLED = {"//": "floor_div", "%": "mod", "<<": "shift_left", ">>": "shift_right"}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
#: integers that float64 holds lie within it of 0
EXACT = 1 << 53
OF_BOOLS = {"+": "|", "*": "&"}


def binary(symbol: str, left: C, right: C, result: ScalarType, unit: Unit) -> C:
    """An arithmetic operation whose result is of type `result`."""
    whole = "f" not in (kind_of(left.dtype), kind_of(right.dtype))
    if symbol == "/" and result == FLOAT and whole and not (is_near(left) and is_near(right)):
        sides = converted(left, "int64"), converted(right, "int64")
        return call(unit.function("quotient", "int64"), "float64", *sides)
    left, right = converted(left, result.dtype), converted(right, result.dtype)
    if result.kind == "c":
        return c_complex.binary(symbol, left, right, result, unit)
    if symbol in PLAIN:
        return arithmetic(symbol, left, right, result)
    if symbol in BITWISE:
        return infix(symbol, left, right, result.dtype)
    if symbol == "**":
        return power(left, right, result, unit)
    made = call(unit.function(CALLED[symbol], result.dtype), result.dtype, left, right)
    rest = symbol == "%" and type(right.value) is int
    return replace(made, reach=abs(right.value)) if rest and isinstance(right.value, int) else made


def is_near(c: C) -> bool:
    """Whether an integer is known to be one that float64 holds."""
    size = abs(c.value) if type(c.value) is int else c.reach
    return kind_of(c.dtype) == "b" or c.value == 0 or 0 < size <= EXACT


def arithmetic(symbol: str, left: C, right: C, result: ScalarType) -> C:
    """`+ - * /` on operands of the result's type; integers wrap, which C promises for unsigned ones only."""
    dtype = result.dtype
    kind = kind_of(dtype)
    if kind == "i" and result.weak:
        reach = _reach(symbol, left, right)
        if reach:
            return replace(infix(symbol, left, right, dtype), reach=reach)
    if kind == "b":
        return infix(OF_BOOLS[symbol], left, right, dtype)
    if kind == "f" or dtype in ("uint32", "uint64"):
        return infix(symbol, left, right, dtype)
    if bits(dtype) < 32 and dtype != "uint16":
        return cast(infix(symbol, left, right, "int32"), dtype)
    wide = f"uint{max(bits(dtype), 32)}"
    computed = infix(symbol, _unsigned(left, wide), _unsigned(right, wide), wide)
    return replace(prefix(f"({CTYPES[dtype]})", computed, dtype), unsigned=computed)


def _reach(symbol: str, left: C, right: C) -> int:
    """What the absolute value of a result does not exceed; 0 where it is not known, or may leave 64 bits."""
    sides = [abs(c.value) if type(c.value) is int else c.reach for c in (left, right)]
    if not all(sides) and not any(type(c.value) is int and c.value == 0 for c in (left, right)):
        return 0
    reach = sides[0] * sides[1] if symbol == "*" else sides[0] + sides[1]
    return reach if 0 < reach < 1 << 62 else 0


def _unsigned(c: C, wide: str) -> C:
    """The same bits as an unsigned number; what was just brought back from there is taken as it was."""
    if isinstance(c.value, int) and c.value >= 0:
        return literal(c.value, wide)
    if c.unsigned is not None and c.unsigned.dtype == wide:
        return c.unsigned
    return prefix(f"({CTYPES[wide]})", c, wide)


def power(base: C, exponent: C, result: ScalarType, unit: Unit) -> C:
    dtype = result.dtype
    if result.kind == "c":
        return c_complex.binary("**", base, exponent, result, unit)
    if kind_of(dtype) != "f":
        return call(unit.function("power", dtype), dtype, base, exponent)
    value = exponent.value
    if value == 2:
        return call(unit.function("square", dtype), dtype, base)
    simple = POWERS.get(value) if isinstance(value, int | float) else None
    if simple is not None:
        return call(unit.elementary(simple.__name__, dtype), dtype, base)
    return call(unit.elementary("pow", dtype), dtype, base, exponent)


def unary(symbol: str, operand: C, result: ScalarType) -> C:
    """`pos neg ~ not`"""
    dtype = result.dtype
    if symbol == "not":
        return prefix("!", operand, "bool")
    if symbol == "pos":
        return operand
    if symbol == "~":
        if dtype == "bool":
            return prefix("!", operand, dtype)
        return narrowed(prefix("~", operand, dtype))
    if operand.value is not None and kind_of(dtype) in "ifc" and operand.value != -(2 ** (bits(dtype) - 1)):
        return literal(-operand.value, dtype)
    if kind_of(dtype) in "fc" or (result.weak and operand.reach):
        return replace(prefix("-", operand, dtype), reach=operand.reach)
    zero = literal(0, dtype)
    return arithmetic("-", zero, operand, ScalarType(dtype))


def narrowed(c: C) -> C:
    """A result that C computed in `int`, back in its own type."""
    return cast(c, c.dtype) if bits(c.dtype) < 32 and c.dtype != "bool" else c


def comparison(symbol: str, left: C, right: C, unit: Unit) -> C:
    """A comparison, of operands of one type, or exact: between Python's int and float, and integers of other signs."""
    if left.dtype == right.dtype:
        of_complex = c_complex.is_complex(left, right)
        return c_complex.equality(symbol, left, right) if of_complex else infix(symbol, left, right, "bool")
    if "float64" in (left.dtype, right.dtype):
        whole, number = (right, left) if left.dtype == "float64" else (left, right)
        small = isinstance(number.value, float) and abs(number.value) < EXACT
        if is_near(whole) or small:
            return infix(symbol, converted(left, "float64"), converted(right, "float64"), "bool")
        found, none = call(unit.function("compare", "int64"), "float64", whole, number), literal(0, "float64")
        return infix(symbol, *((found, none) if whole is left else (none, found)), "bool")
    compare, zero = unit.compare(), C("0", "int32", value=0)
    if left.dtype == "uint64":
        swapped = call(compare, "int32", converted(right, "int64"), left)
        return infix(symbol, zero, swapped, "bool")
    return infix(symbol, call(compare, "int32", converted(left, "int64"), right), zero, "bool")
