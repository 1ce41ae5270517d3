"""Elementary functions and powers of floats, as calls of the runtime's: its bits are the same on every target.

math.exp(x)        ->  elementary.exp(np.float64(x))     for a float32 `x`
np.arctan2(y, x)   ->  elementary.atan2(y, x)
x ** 3             ->  elementary.cube(x)
x ** y             ->  elementary.pow(x, y)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from somd.elementary.functions import POWERS, elementary
from somd.transforms.multicore.numpy_calls import as_type, called, called_of
from somd.transforms.types.scalars import REALS, ScalarType


def elementary_call(
    name: str, arguments: Sequence[cst.BaseExpression], kinds: Sequence[ScalarType | None], dtype: str
) -> cst.BaseExpression | None:
    """The expression for a function of `math` or NumPy that gives floats of `dtype`; None for other functions."""
    own = elementary(name)
    if own is None or dtype not in ("float32", "float64"):
        return None
    values = [_of(dtype, *pair) for pair in zip(arguments, kinds, strict=True)]
    if own == "log" and len(values) == 2:
        quotient = cst.BinaryOperation(_call(own, values[0]), cst.Divide(), _call(own, values[1]))
        return quotient.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return _call(own, *values)


def elementary_power(
    node: cst.BinaryOperation, left: ScalarType, right: ScalarType, result: ScalarType
) -> cst.BaseExpression | None:
    """The expression for a power of floats; None for what is no power, and squares of float64: one product to Numba."""
    if not isinstance(node.operator, cst.Power) or result.kind != "f":
        return None
    base, exponent = _of(result.dtype, node.left, left), literal_of(node.right)
    if exponent == 2:
        square = left.dtype == "float64" == result.dtype and isinstance(node.right, cst.Integer)
        number = base if left.kind == "f" else as_type(base, left, result.dtype)  # a product of integers would wrap
        return None if square else called("numpy_square", number)
    function = None if exponent is None else POWERS.get(exponent)
    if function is not None:
        return _call(function.__name__, base)
    return _call("pow", base, _of(result.dtype, node.right, right))


def literal_of(node: cst.BaseExpression) -> float | None:
    """The value of a literal, behind a sign and casts; None for everything else."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in REALS:
        node = node.args[0].value
    try:
        value = ast.literal_eval(cst.Module([]).code_for_node(node))
    except (ValueError, SyntaxError):
        return None
    return float(value) if isinstance(value, int | float) else None


def _of(dtype: str, node: cst.BaseExpression, kind: ScalarType | None) -> cst.BaseExpression:
    """A number as an argument: what is made a float64 anyway stays."""
    widened = dtype == "float64" and (kind is None or kind.dtype != "float32")
    return node if kind is None or widened else as_type(node, kind, dtype)


def _call(name: str, *arguments: cst.BaseExpression) -> cst.Call:
    return called_of(cst.Attribute(cst.Name("elementary"), cst.Name(name)), *arguments)
