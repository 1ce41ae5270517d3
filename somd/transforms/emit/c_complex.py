"""Complex numbers in C: a vector of two, the real part `x` and the imaginary part `y`.

`+` and `-` are C's own on vectors; all else is a function of `c_complex_prelude`, written out as NumPy and, where both
operands are its own numbers, Python have it. In: operands with their NumPy types. Out: a C expression.
"""

from __future__ import annotations

from somd.settings.targets import TargetLacks
from somd.transforms.emit.c_tree import UNARY, C, call, infix
from somd.transforms.emit.c_types import converted, kind_of, part_of
from somd.transforms.emit.c_unit import Unit
from somd.transforms.types.scalars import ScalarType

#: whole exponents whose powers are products; Python has them to 100, NumPy to 99
PYTHON_POWERS, NUMPY_POWERS = 100, 99
COMPUTED = ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "angle")
RENAMED = {"phase": "angle", "absolute": "abs", "conjugate": "conj"}
#: tests of a number: of which of its parts they must hold
TESTS = {"isnan": "any", "isinf": "any", "isfinite": "all"}


def is_complex(*values: C) -> bool:
    """Whether one of the values is complex."""
    return any(kind_of(value.dtype) == "c" for value in values)


def binary(symbol: str, left: C, right: C, result: ScalarType, unit: Unit) -> C:
    """`+ - * / **` of operands of the result's type, which is complex."""
    if symbol in ("+", "-"):
        return infix(symbol, left, right, result.dtype)
    if symbol == "**":
        return _power(left, right, result, unit)
    if symbol == "*":
        return product(left, right, unit)
    kind = "python_divide" if symbol == "/" and result.weak else "divide"
    return call(unit.function(kind, result.dtype), result.dtype, left, right)


def product(left: C, right: C, unit: Unit) -> C:
    return call(unit.function("multiply", left.dtype), left.dtype, left, right)


def joined(left: C, right: C, unit: Unit) -> C:
    """The product of two accumulators, each of which may stand for none."""
    return call(unit.function("join_products", left.dtype), left.dtype, left, right)


def _power(base: C, exponent: C, result: ScalarType, unit: Unit) -> C:
    own, most = ("python_", PYTHON_POWERS) if result.weak else ("", NUMPY_POWERS)
    value = exponent.value
    if isinstance(value, complex) and value.imag == 0 and abs(value.real) <= most and value.real.is_integer():
        function = unit.function(f"{own}whole_power", result.dtype)
        return call(function, result.dtype, base, C(str(int(value.real)), "int32"))
    return call(unit.function(f"{own}power", result.dtype), result.dtype, base, exponent)


def equality(symbol: str, left: C, right: C) -> C:
    """`==` and `!=` of two complex numbers of one type."""
    return call("all" if symbol == "==" else "any", "bool", infix(symbol, left, right, "bool"))


def part(value: C, name: str) -> C:
    """`z.real` and `z.imag`"""
    text = value.text if value.level > UNARY else f"({value.text})"
    return C(f"{text}.{'x' if name == 'real' else 'y'}", part_of(value.dtype), needs=value.mentions)


def conjugate(value: C, unit: Unit) -> C:
    return call(unit.function("conj", value.dtype), value.dtype, value)


def made(arguments: list[C], result: ScalarType) -> C:
    """`complex(x, y)` and `np.complex64(x, y)`, both real"""
    parts = ", ".join(converted(each, "float64").loose for each in arguments)
    return converted(C(f"(double2)({parts})", "complex128", UNARY), result.dtype)


def function(name: str, arguments: list[C], result: ScalarType, unit: Unit) -> C:
    """A function of complex numbers, of NumPy or `cmath`; those that are no arithmetic are computed in float64."""
    name, first = RENAMED.get(name, name), arguments[0]
    if name in TESTS:
        return call(TESTS[name], "bool", call(name, "bool", first))
    if name in ("real", "imag"):
        return part(first, name)
    if name == "conj":
        return conjugate(first, unit)
    if name == "abs":
        return call(unit.function("abs", first.dtype), result.dtype, first)
    if name == "power":
        base, exponent = (converted(each, result.dtype) for each in arguments)
        return _power(base, exponent, result, unit)
    if name not in COMPUTED:
        raise TargetLacks(f"`{name}` of a complex number has no form in OpenCL C yet")
    computed = "float64" if name == "angle" else "complex128"
    wide = converted(first, "complex128")
    return converted(call(unit.function(name, "complex128"), computed, wide), result.dtype)
