"""Calls of NumPy's functions that Numba lacks, or computes in a way of its own, as calls of the runtime's.

np.minimum(x, 1)     ->  numpy_minimum(x, np.float32(1))       for a float32 `x`
np.round(x, 2)       ->  np.rint(x * 100.0) / 100.0
np.clip(x, k, y)     ->  numpy_clip(x, np.int8(clip_low(k, -128, -128)), y)    for int8 `x` and `y`, an int `k`
np.degrees(x)        ->  x * np.float32(57.295776)             for a float32 `x`
np.uint32(x)         ->  np.uint32(float_to_unsigned(x))       for a float `x`
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.types.functions import ANGLES, SIGNS, angle_factor, end_of_clip, places_of, reciprocal_of_zero
from somd.transforms.types.scalars import ScalarType

OWN = ("minimum", "maximum", "fmin", "fmax", "square", "fmod")
ROUNDS = ("round", "around")
UNSIGNED = ("uint32", "uint64")


def numpy_call(
    name: str, arguments: Sequence[cst.BaseExpression], kinds: Sequence[ScalarType], result: ScalarType
) -> cst.BaseExpression | None:
    """The expression for `np.name(...)` on operands of `kinds`; None where Numba's own will do."""
    dtype = result.dtype
    if name == "bitwise_count":
        return called("numpy_bitwise_count", *arguments)
    if name == "where":
        test, *values = arguments
        return called("numpy_where", as_type(test, kinds[0], "bool"), *_all(values, kinds[1:], dtype))
    if name in ROUNDS:
        return rounded(arguments, kinds, result)
    if name == "sign" and result.kind != "b":
        one = of_numpy(dtype, cst.Integer("1"))
        return _narrow(called("numpy_sign", as_type(arguments[0], kinds[0], dtype), one), result)
    if name in ANGLES:
        factor = of_numpy(dtype, cst.Float(repr(angle_factor(name, dtype))))
        return _grouped(cst.BinaryOperation(_grouped(as_type(arguments[0], kinds[0], dtype)), cst.Multiply(), factor))
    if name in SIGNS:
        changed = cst.UnaryOperation(SIGNS[name](), _grouped(as_type(arguments[0], kinds[0], dtype)))
        return _narrow(_grouped(changed), result)
    if name == "reciprocal":
        return _reciprocal(_grouped(as_type(arguments[0], kinds[0], dtype)), dtype)
    if name == "clip":
        ends = (_end(place, arguments[place], kinds, result) for place in (1, 2))
        return _narrow(called("numpy_clip", as_type(arguments[0], kinds[0], dtype), *ends), result)
    if name in OWN and not (name == "fmod" and result.kind == "f"):
        return _narrow(called(f"numpy_{name}", *_all(arguments, kinds, dtype)), result)
    return None


def _end(place: int, node: cst.BaseExpression, kinds: Sequence[ScalarType], result: ScalarType) -> cst.BaseExpression:
    """A bound of `np.clip`, in the type of the result: what is no bound there becomes the end of the type."""
    end = end_of_clip(place, kinds[0], kinds[place], result)
    if end is None:
        return as_type(node, kinds[place], result.dtype)
    first, instead = (cst.parse_expression(repr(each).replace("inf", "np.inf")) for each in end)
    function = "clip_low" if place == 1 else "clip_high"
    return of_numpy(result.dtype, called(function, node, first, instead))


def _reciprocal(value: cst.BaseExpression, dtype: str) -> cst.BaseExpression:
    """`np.reciprocal(x)`: of integers a quotient without its fraction."""
    if dtype.startswith("float"):
        return _grouped(cst.BinaryOperation(of_numpy(dtype, cst.Float("1.0")), cst.Divide(), value))
    by_zero = cst.parse_expression(str(reciprocal_of_zero(dtype)))
    return of_numpy(dtype, called("numpy_reciprocal", value, of_numpy(dtype, by_zero)))


def rounded(
    arguments: Sequence[cst.BaseExpression], kinds: Sequence[ScalarType], result: ScalarType
) -> cst.BaseExpression:
    """`np.round(x, places)`, and `round(x, places)`, the same for a NumPy scalar: by a power of ten, in floats.

    Python rounds its own numbers by their exact values.
    """
    places = places_of(arguments)
    assert places is not None
    if result.kind != "f" and places >= 0:
        return as_type(arguments[0], kinds[0], result.dtype)
    if result.weak and result.kind != "f":
        value = as_type(arguments[0], kinds[0], result.dtype)
        return called("python_rounded", value, cst.Integer(str(10**-places)))
    value = as_type(arguments[0], kinds[0], result.dtype if result.kind == "f" else "float64")
    if places == 0:
        return called_of(_np("rint"), value)
    power = cst.Float(f"1e{abs(places)}")
    if result.weak:
        function = cst.Attribute(cst.Name("elementary"), cst.Name("round_places" if places > 0 else "round_tens"))
        return called_of(function, value, power)
    factor = power if result.kind != "f" else of_numpy(result.dtype, power)
    first, second = (cst.Multiply(), cst.Divide()) if places > 0 else (cst.Divide(), cst.Multiply())
    scaled = cst.BinaryOperation(_grouped(value), first, factor)
    made = _grouped(cst.BinaryOperation(called_of(_np("rint"), scaled), second, factor))
    if result.kind == "f":
        return made
    only = unsigned(made, ScalarType("float64"), result.dtype)
    return only if only is not None else of_numpy(result.dtype, of_numpy("int64", made))


def unsigned(node: cst.BaseExpression, kind: ScalarType | None, dtype: str) -> cst.BaseExpression | None:
    """A float as an unsigned integer of 32 or 64 bits; None for other conversions."""
    if kind is None or kind.kind != "f" or dtype not in UNSIGNED:
        return None
    made = called("float_to_unsigned", node)
    return made if dtype == "uint64" else of_numpy(dtype, made)


def _all(nodes: Sequence[cst.BaseExpression], kinds: Sequence[ScalarType], dtype: str) -> list[cst.BaseExpression]:
    return [as_type(node, kind, dtype) for node, kind in zip(nodes, kinds, strict=True)]


def _narrow(node: cst.BaseExpression, result: ScalarType) -> cst.BaseExpression:
    return of_numpy(result.dtype, node) if result.kind in "iu" and result.dtype != "int64" else node


def as_type(node: cst.BaseExpression, kind: ScalarType, dtype: str) -> cst.BaseExpression:
    return node if kind.dtype == dtype else of_numpy(dtype, node)


def of_numpy(dtype: str, node: cst.BaseExpression) -> cst.Call:
    return called_of(_np("bool_" if dtype == "bool" else dtype), node)


def called(function: str, *arguments: cst.BaseExpression) -> cst.Call:
    return called_of(cst.Name(function), *arguments)


def called_of(function: cst.BaseExpression, *arguments: cst.BaseExpression) -> cst.Call:
    return cst.Call(function, [cst.Arg(a) for a in arguments])


def _np(name: str) -> cst.Attribute:
    return cst.Attribute(cst.Name("np"), cst.Name(name))


def _grouped(node: cst.BaseExpression) -> cst.BaseExpression:
    if node.lpar or isinstance(node, cst.Name | cst.Subscript | cst.Call | cst.Attribute):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
