"""Functions of `math`, `cmath` and NumPy as C expressions: operands have the types that the loop program gives them."""

from __future__ import annotations

import math

from somd.elementary.functions import elementary
from somd.transforms.emit import c_complex
from somd.transforms.emit.c_operators import narrowed, power
from somd.transforms.emit.c_tree import C, call, infix, prefix
from somd.transforms.emit.c_types import converted, kind_of, literal
from somd.transforms.emit.c_unit import Unit
from somd.transforms.types.functions import ANGLES, angle_factor, reciprocal_of_zero
from somd.transforms.types.scalars import ScalarType

TESTS = ("isnan", "isinf", "isfinite")
LOGICAL = {"logical_and": "&", "logical_or": "|", "logical_xor": "^"}
#: functions of the prelude on operands of the result's type
OF_PRELUDE = ("minimum", "maximum", "sign", "fmin", "fmax", "clip", "fmod", "square", "copysign")
#: functions of truth values
TRUTHS = ("logical_not", "where")


def rounded(arguments: list[C], result: ScalarType, unit: Unit) -> C:
    """`np.round(x, places)`, and `round(x, places)`, the same for a NumPy scalar: by a power of ten, in floats.

    Python rounds its own numbers by their exact values.
    """
    dtype, whole = result.dtype, result.kind != "f"
    given = arguments[1].value if len(arguments) > 1 else 0
    places = given if isinstance(given, int) else 0
    if whole and places >= 0:
        return arguments[0]
    if whole and result.weak:
        factor = literal(10**-places, dtype)
        return call(unit.function("rounded", dtype), dtype, arguments[0], factor)
    kind = "float64" if whole else dtype
    value = converted(arguments[0], kind)
    if places == 0:
        return call("rint", kind, value)
    factor = literal(float(f"1e{abs(places)}"), kind)
    if result.weak:
        return call(unit.elementary("round_places" if places > 0 else "round_tens", kind), kind, value, factor)
    first, second = ("*", "/") if places > 0 else ("/", "*")
    made = infix(second, call("rint", kind, infix(first, value, factor, kind)), factor, kind)
    return converted(made, dtype)


def absolute(argument: C, unit: Unit) -> C:
    kind = kind_of(argument.dtype)
    if kind in "bu":
        return argument
    if kind == "f":
        return call("fabs", argument.dtype, argument)
    return call(unit.function("abs", argument.dtype), argument.dtype, argument)


def math_call(name: str, arguments: list[C], result: ScalarType, unit: Unit) -> C:
    """A function of `math`: in double; `floor`, `ceil` and `trunc` give an int."""
    if name in ("gcd", "isqrt"):
        if any(a.dtype == "uint64" for a in arguments):
            sizes = [converted(absolute(a, unit), "uint64") for a in arguments]
            return converted(call(unit.function(name, "uint64"), "uint64", *sizes), "int64")
        return call(unit.function(name, "int64"), "int64", *arguments)
    if name in ("degrees", "radians"):
        factor = 180.0 / math.pi if name == "degrees" else math.pi / 180.0
        return infix("*", arguments[0], literal(factor, "float64"), "float64")
    if name == "log" and len(arguments) == 2:
        above, below = (call(unit.elementary("log", "float64"), "float64", each) for each in arguments)
        return infix("/", above, below, "float64")
    kind = "bool" if name in TESTS else "float64"
    own = elementary(name)
    if own == "pow":
        return power(arguments[0], arguments[1], result, unit)
    if name == "copysign":
        function = unit.function(name, "float64")
    else:
        function = name if own is None else unit.elementary(own, "float64")
    return converted(call(function, kind, *arguments), result.dtype)


def numpy_call(name: str, arguments: list[C], result: ScalarType, unit: Unit) -> C:
    """A function of NumPy on scalars: in the type of its result."""
    dtype = result.dtype
    if name in LOGICAL:
        return infix(LOGICAL[name], arguments[0], arguments[1], "bool")
    if name not in TRUTHS and c_complex.is_complex(*arguments):
        return c_complex.function(name, arguments, result, unit)
    if name == "logical_not":
        return prefix("!", arguments[0], "bool")
    if name in ("round", "around"):
        return rounded(arguments, result, unit)
    if name == "where":
        return call(unit.function("where", dtype), dtype, *arguments)
    if name in ("signbit", "bitwise_count"):
        return call(unit.function(name, arguments[0].dtype), dtype, arguments[0])
    if name in TESTS:
        return call(name, "bool", arguments[0])
    if name in ("conj", "conjugate", "real"):
        return arguments[0]
    if name in ("imag", "angle"):
        return call(unit.function(name, dtype), dtype, *arguments)
    if name in ("abs", "absolute"):
        return absolute(arguments[0], unit)
    if name in ANGLES:
        return infix("*", arguments[0], literal(angle_factor(name, dtype), dtype), dtype)
    if name == "reciprocal":
        if kind_of(dtype) == "f":
            return infix("/", literal(1.0, dtype), arguments[0], dtype)
        by_zero = literal(reciprocal_of_zero(dtype), dtype)
        return call(unit.function(name, dtype), dtype, arguments[0], by_zero)
    if name in OF_PRELUDE:
        return call(unit.function(name, dtype), dtype, *arguments)
    if kind_of(dtype) != "f":
        if name == "power":
            return call(unit.function("power", dtype), dtype, *arguments)
        return narrowed(arguments[0])
    own = elementary(name)
    if own == "pow":
        return power(arguments[0], arguments[1], result, unit)
    return call(name if own is None else unit.elementary(own, dtype), dtype, *arguments)
