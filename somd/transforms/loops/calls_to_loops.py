"""Operators and calls of built-in, `math`, `cmath` and NumPy functions as operations of the loop program.

In: what is called, operands with their types as inference found them. Out: the operation, its operands cast to what the
operator takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.loops.making import (
    COMPLEX,
    FLOAT64,
    INT64,
    cast,
    choice,
    comparison,
    constant,
    operation,
    strong,
    truth,
    whole_number,
)
from somd.transforms.loops.program import Constant, Expression
from somd.transforms.types.functions import OPERATORS, SIGNS, end_of_clip
from somd.transforms.types.scalars import INT, ScalarType

SYMBOLS: dict[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
}
#: operators that Python's complex numbers have of their own
OF_PYTHON = ("*", "/", "**")
TESTS = ("isnan", "isinf", "isfinite")
LOGICAL = ("logical_and", "logical_or", "logical_xor", "logical_not")
#: functions that take a complex number as it is, whatever they give
OF_COMPLEX = ("abs", "absolute", "angle", "real", "imag", "conj", "conjugate")


@dataclass(frozen=True)
class Call:
    """A call of what is known by `kind` and `name` (see `Callee`); `kinds` are the types of the operands and `result`
    that of the result as inference found them, Python's own numbers told from NumPy's."""

    kind: str
    name: str
    operands: tuple[Expression, ...]
    kinds: tuple[ScalarType, ...]
    result: ScalarType


def operator_call(
    kind: type[cst.CSTNode], sides: Sequence[Expression], result: ScalarType, joins: bool = False
) -> Expression:
    """An arithmetic operation whose result is of type `result`; with `joins` a product of complex numbers, each of
    which may be that of none."""
    symbol, (left, right) = SYMBOLS[kind], sides
    if symbol == "/" and result.weak and result.kind == "f" and {left.type.kind, right.type.kind} <= {"i", "u", "b"}:
        return operation(symbol, cast(left, INT64), cast(right, INT64))
    if joins:
        symbol = f"joined {symbol}"
    elif result.kind == "c" and result.weak and symbol in OF_PYTHON:
        symbol = f"python {symbol}"
    return operation(symbol, cast(left, result), cast(right, result))


def called(call: Call) -> Expression | None:
    """The value of a call; None for what has no form here."""
    maker = {"builtin": _builtin, "math": _math, "cmath": _cmath, "numpy": _numpy, "cast": _cast, "method": _method}
    return maker[call.kind](call) if call.kind in maker else None


def _builtin(call: Call) -> Expression | None:
    values, result = call.operands, call.result
    if call.name in ("alone", "in_strips", "blocks_at_once"):
        return operation(call.name)
    if call.name in ("min", "max"):
        made = cast(values[0], result)
        for each in values[1:]:
            made = operation(call.name, made, cast(each, result))
        return made
    if call.name == "pow":
        return operator_call(cst.Power, values, result)
    if call.name == "complex" and len(values) == 2:
        return _complex(values, result)
    if call.name == "round":
        return _rounded(call, 1)
    if call.name == "abs":
        return _absolute(values[0], result)
    return cast(values[0], result) if call.name in ("int", "float", "bool", "complex") else None


def _absolute(value: Expression, result: ScalarType) -> Expression:
    value = value if value.type.kind == "c" else cast(value, result)
    return value if value.type.kind in "bu" else operation("abs", value)


def _rounded(call: Call, least: int) -> Expression:
    """`round(x)`, `round(x, places)` and `np.round(x, places)`; Python rounds its own numbers by their exact values."""
    value, result = call.operands[0], call.result
    if len(call.operands) == least and call.kind == "builtin":
        return cast(operation("rint", value) if value.type.kind == "f" else value, result)
    places = call.operands[1] if len(call.operands) > 1 else whole_number(0)
    value = cast(value, result)
    if not isinstance(places, Constant):
        places = cast(places, INT64)  # `round` takes only what is written out
    if call.kind == "builtin" and result.weak:
        return operation("round", value, places)
    return operation("np.round", value, places)


def _complex(values: Sequence[Expression], result: ScalarType) -> Expression:
    return cast(operation("complex", *(cast(each, FLOAT64) for each in values)), result)


def _cast(call: Call) -> Expression:
    return _complex(call.operands, call.result) if len(call.operands) == 2 else cast(call.operands[0], call.result)


def _method(call: Call) -> Expression:
    """`z.conjugate()`"""
    value = cast(call.operands[0], call.result)
    return operation("conj", value) if value.type.kind == "c" else value


def _math(call: Call) -> Expression:
    """A function of `math`: of floats, `gcd` and `isqrt` of integers."""
    if call.name in ("gcd", "isqrt"):
        return operation(f"math.{call.name}", *_whole(call))
    made = operation(f"math.{call.name}", *(cast(each, FLOAT64) for each in call.operands))
    return cast(made, call.result)


def _whole(call: Call) -> tuple[Expression, ...]:
    unsigned = any(kind.dtype == "uint64" for kind in call.kinds)
    return tuple(each if unsigned and each.type.kind == "u" else cast(each, INT64) for each in call.operands)


def _cmath(call: Call) -> Expression:
    return cast(operation(f"cmath.{call.name}", *(cast(each, COMPLEX) for each in call.operands)), call.result)


def _numpy(call: Call) -> Expression | None:
    name, values, result = call.name, call.operands, strong(call.result)
    if name in OPERATORS:
        return operator_call(OPERATORS[name], values, result)
    if name in SIGNS:
        return operation("neg" if name == "negative" else "pos", cast(values[0], result))
    if name == "power" and result.kind in "iu":
        return operator_call(cst.Power, values, result)
    if name in ("abs", "absolute") and values[0].type.kind != "c":
        return _absolute(values[0], result)
    if name in ("round", "around"):
        return _rounded(call, 0)
    if name == "clip":
        values = _clipped(call)
    elif name == "where":
        values = (truth(values[0]), *(cast(each, result) for each in values[1:]))
    elif name in LOGICAL:
        values = tuple(map(truth, values))
    elif name in (*TESTS, "signbit"):
        values = tuple(each if each.type.kind in "fc" else cast(each, FLOAT64) for each in values)
    elif name != "bitwise_count" and not (name in OF_COMPLEX and values[0].type.kind == "c"):
        values = tuple(cast(each, result) for each in values)
    return cast(operation(f"np.{name}", *values), result)


def _clipped(call: Call) -> tuple[Expression, ...]:
    """The operands of `np.clip`: a bound that is none to NumPy becomes the end of the result's type."""
    values, result = list(call.operands), strong(call.result)
    for place, symbol in ((1, "<="), (2, ">=")):
        end = end_of_clip(place, call.kinds[0], call.kinds[place], result)
        if end is not None:
            beyond = comparison(symbol, values[place], whole_number(end[0]), (INT, INT))
            values[place] = choice(beyond, constant(end[1], result), cast(values[place], result))
    return tuple(cast(each, result) for each in values)
