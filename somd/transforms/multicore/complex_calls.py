"""Calls of functions of complex numbers, as calls of the runtime's.

np.exp(z)              ->  np.complex64(complex_exp(z))      for a complex64 `z`
complex(x, y)          ->  complex(np.float64(x), y)         for a float32 `x`
np.conj(z), z.conj()   ->  z.conjugate()
np.real(z)             ->  z.real
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.types.functions import PARTS
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Callee

CONJUGATE = ("conj", "conjugate")
COMPUTED = ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "angle")
RENAMED = {"phase": "angle", "absolute": "abs"}


def complex_call(
    callee: Callee, arguments: Sequence[cst.BaseExpression], kinds: Sequence[ScalarType], result: ScalarType
) -> cst.BaseExpression | None:
    """The expression for a call of what `callee` is on operands of `kinds`; None for one that needs no form here."""
    name = RENAMED.get(callee.name, callee.name)
    first = arguments[0]
    if callee.kind in ("cast", "builtin") and callee.name != "pow" and result.kind == "c":
        return _made(arguments, kinds, result)
    if callee.kind == "method" or (callee.kind == "numpy" and name in CONJUGATE):
        return _called(_member(first, "conjugate")) if result.kind == "c" else first
    if callee.kind == "numpy" and name in PARTS:
        whole = kinds[0].kind == "b"  # Numba's bools have no parts
        return _as(
            _member(_as(first, None, "int64") if whole else first, name), None if whole else result, result.dtype
        )
    wide = callee.kind == "cmath"
    if not wide and name != "angle" and not any(kind.kind == "c" for kind in kinds):
        return None
    if wide:
        arguments = [_as(a, k, "complex128") for a, k in zip(arguments, kinds, strict=True)]
    if name == "abs":
        return _called(cst.Name("abs"), *arguments)
    if name == "power":
        made = _called(
            cst.Name("complex_power"), *(_as(a, k, result.dtype) for a, k in zip(arguments, kinds, strict=True))
        )
        return made
    if name in COMPUTED:
        made = _called(cst.Name(f"complex_{name}"), _as(arguments[0], kinds[0], "complex128"))
        return _as(made, None, result.dtype) if result.dtype in ("complex64", "float32") else made
    return _called(cst.Attribute(cst.Name("np"), cst.Name(name)), *arguments) if wide else None


def _made(
    arguments: Sequence[cst.BaseExpression], kinds: Sequence[ScalarType], result: ScalarType
) -> cst.BaseExpression:
    """`complex(x, y)` and `np.complex64(z)`"""
    if len(arguments) == 1:
        return _as(arguments[0], None, result.dtype)
    parts = [_as(a, k, "float64") for a, k in zip(arguments, kinds, strict=True)]
    made = _called(cst.Name("complex"), *parts)
    return made if result.dtype == "complex128" else _as(made, None, result.dtype)


def _as(node: cst.BaseExpression, kind: ScalarType | None, dtype: str) -> cst.BaseExpression:
    if kind is not None and kind.dtype == dtype:
        return node
    return _called(cst.Attribute(cst.Name("np"), cst.Name(dtype)), node)


def _member(node: cst.BaseExpression, name: str) -> cst.Attribute:
    if not isinstance(node, cst.Name | cst.Subscript | cst.Call | cst.Attribute) and not node.lpar:
        node = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Attribute(node, cst.Name(name))


def _called(function: cst.BaseExpression, *arguments: cst.BaseExpression) -> cst.Call:
    return cst.Call(function, [cst.Arg(a) for a in arguments])
