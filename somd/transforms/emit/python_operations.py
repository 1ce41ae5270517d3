"""Operators of the loop program -> Python for Numba, which promotes types and treats edge cases in ways of its own.

Operands have the types that the operator takes. Results are what Numba takes the text for: the caller converts them.

b + c          ->  b + c                               int64 to Numba, for int32 `b` and `c`
x ** y         ->  elementary.pow(x, y)
n << k         ->  shift_left(n, k)
(1 << 62) * 5  ->  4611686018427387904                 where Python would make one number of it, beyond 64 bits
np.sign(x)     ->  numpy_sign(x, np.float32(1.0))      for a float32 `x`
"""

from __future__ import annotations

import operator as python
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from somd.elementary.functions import POWERS, elementary
from somd.transforms.emit.python_text import ATOM, COMPARED, NOT, SIGN, Py, as_type, call, infix, literal, member
from somd.transforms.loops.making import EXACT
from somd.transforms.loops.operators import number
from somd.transforms.loops.program import Constant, Expression, Operation
from somd.transforms.types.functions import ANGLES, angle_factor, reciprocal_of_zero

#: whether Numba multiplies complex numbers as Python does from 3.14 on, and not as NumPy
PRODUCTS_OF_PYTHON = sys.version_info >= (3, 14)
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
#: functions of NumPy that the runtime has of its own
_OWN = ("minimum", "maximum", "fmin", "fmax", "square", "fmod")
_COMPLEX = ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "angle")
_OF_TRUTH = ("isnan", "isinf", "isfinite", "signbit", "logical_and", "logical_or", "logical_xor", "logical_not")


_OF_INTEGERS: dict[str, Callable[..., int]] = {
    "+": python.add,
    "-": python.sub,
    "*": python.mul,
    "//": python.floordiv,
    "%": python.mod,
    "**": pow,
    "<<": python.lshift,
    ">>": python.rshift,
    "&": python.and_,
    "|": python.or_,
    "^": python.xor,
    "neg": python.neg,
    "pos": python.pos,
    "~": python.invert,
}


def beyond(node: Expression) -> int | None:
    """The int64 that an operation on integers which are written out wraps to, where its exact result, which Python
    would put in its place as it reads the text, has more than 64 bits; else None."""
    exact = _exact(node)
    return None if exact is None or exact == _held(exact) else _held(exact)


def _exact(node: Expression) -> int | None:
    """What Python makes of an operation on integers that are written out, each of 64 bits; else None."""
    if node.type.dtype != "int64" or not isinstance(node, Constant | Operation):
        return None
    if isinstance(node, Constant):
        return int(node.value.real)
    symbol = node.operator.removeprefix("python ")
    if symbol not in _OF_INTEGERS:
        return None
    values: list[int] = []
    for each in reversed(node.operands):  # sums of many terms are deep on their left
        found = _exact(each)
        if found is None:
            return None
        values.insert(0, _held(found))
    if symbol in ("**", "<<", ">>") and not 0 <= values[1] < 64:
        return None
    return None if symbol in ("//", "%") and values[1] == 0 else _OF_INTEGERS[symbol](*values)


def _held(value: int) -> int:
    return int(number(value, "int64"))


def is_near(node: Expression) -> bool:
    """Whether an integer is known to be one that float64 holds."""
    return node.range is not None and node.range.low >= -EXACT and node.range.high <= EXACT


@dataclass(frozen=True)
class Sides:
    """Two operands: as numbers of the type that the operator takes, and as they may stand beside each other, where
    Numba converts one to the type of the other."""

    nodes: Sequence[Expression]
    exact: Sequence[Py]
    beside: Sequence[Py]

    def infix(self, symbol: str, dtype: str = "") -> Py:
        left, right = self.beside
        return infix(symbol, left, right, dtype or _promoted(symbol, *(each.type.dtype for each in self.nodes)))


def arithmetic(symbol: str, sides: Sides, dtype: str, of_python: bool) -> Py:
    """An operation on two numbers; `dtype` is that of the result."""
    nodes, (left, right) = sides.nodes, sides.exact
    kind = np.dtype(dtype).kind
    if symbol == "/" and nodes[0].type.dtype == "int64":
        plain = all(map(is_near, nodes))
        return sides.infix(symbol, "float64") if plain else call("python_quotient", "float64", left, right)
    if kind == "c":
        return _of_complex(symbol, sides, dtype, of_python)
    if symbol == "**":
        return _power(sides, dtype)
    if symbol in ("<<", ">>") and not _is_whole(nodes[1], np.dtype(dtype).itemsize * 8):
        return call("shift_left" if symbol == "<<" else "shift_right", _whole(dtype), left, right)
    if symbol == "//" and dtype == "int64" and not _is_whole(nodes[1]):
        return call("floor_divide", dtype, left, right)
    return sides.infix(symbol)


def _whole(dtype: str) -> str:
    """The type of a result that Numba gives in 64 bits at least."""
    return dtype if dtype == "int64" else ""


def _is_whole(node: Expression, end: int | None = None) -> bool:
    """Whether an operand is a natural number that is written out, below `end`."""
    return isinstance(node, Constant) and int(node.value.real) >= 0 and (end is None or int(node.value.real) < end)


def _promoted(symbol: str, left: str, right: str) -> str:
    """The type that Numba computes an operation in."""
    kinds = {np.dtype(left).kind, np.dtype(right).kind}
    if kinds <= {"f"}:
        return "float32" if left == right == "float32" else "float64"
    if kinds <= set("biu"):
        if kinds == {"b"} and symbol in "&|^":
            return "bool"
        return "uint64" if kinds == {"u"} else "int64"
    return "float64"


def _of_complex(symbol: str, sides: Sides, dtype: str, of_python: bool) -> Py:
    own, known = "python" if of_python else "complex", dtype if dtype == "complex128" else ""
    if symbol in ("/", "**"):
        return call(f"{own}_{'divide' if symbol == '/' else 'power'}", known, *sides.exact)
    if symbol == "*" and not of_python and PRODUCTS_OF_PYTHON:
        return call("complex_multiply", known, *sides.exact)
    return sides.infix(symbol, dtype)


def _power(sides: Sides, dtype: str) -> Py:
    exponent, (left, right) = sides.nodes[1], sides.exact
    if np.dtype(dtype).kind in "iub":
        if _is_whole(exponent, np.dtype(dtype).itemsize * 8):
            return infix("**", left, right, _promoted("**", left.dtype, right.dtype))
        return call("integer_power", _whole(dtype), left, right)
    value = float(exponent.value.real) if isinstance(exponent, Constant) else None
    if value == 2:
        if dtype == "float64":
            return infix("**", as_type(left, dtype), literal(2, "int64"), dtype)
        return call("numpy_square", dtype, left)
    function = None if value is None else POWERS.get(value)
    if function is not None:
        return call(f"elementary.{function.__name__}", dtype, left)
    return call("elementary.pow", dtype, left, right)


# --- comparisons ---------------------------------------------------------------------------------------------------


def comparison(symbol: str, sides: Sides) -> Py:
    """A comparison: integers of any types are compared exactly, and Python's int with its float."""
    nodes = sides.nodes
    types = [node.type for node in nodes]
    function = ""
    if {each.dtype for each in types} == {"int64", "float64"}:
        whole, other = nodes if types[0].kind == "i" else (nodes[1], nodes[0])
        small = isinstance(other, Constant) and abs(other.value) < EXACT
        function = "" if small or is_near(whole) else "python_compare"
    elif any(each.dtype == "uint64" for each in types) and any(each.kind == "i" for each in types):
        function = "" if any(map(is_near, nodes)) else "compare_signed"
    left, right = sides.exact if function else sides.beside
    if function:
        zero = literal(0, "int64")
        if types[0].kind == "i":
            left, right = call(function, "int64", as_type(left, "int64"), right), zero
        else:
            left, right = zero, call(function, "int64", as_type(right, "int64"), left)
    return Py(f"{left.within(COMPARED + 1)} {symbol} {right.within(COMPARED + 1)}", "bool", COMPARED)


# --- functions -----------------------------------------------------------------------------------------------------


def of_one(operator: str, node: Expression, made: Py) -> Py:
    """`-x`, `+x` and `~x`"""
    dtype = node.type.dtype
    if dtype == "bool":
        return Py(f"not {made.within(ATOM)}", "bool", NOT) if operator == "~" else made
    symbol = {"neg": "-", "pos": "+", "~": "~"}[operator]
    same = node.type.kind in "fc" or dtype == "int64"
    return Py(f"{symbol}{made.within(SIGN)}", dtype if same else "", SIGN)


def function(operator: str, nodes: Sequence[Expression], operands: Sequence[Py], dtype: str) -> Py:
    """A function of the table, `dtype` being the type of its result."""
    room, _, name = operator.rpartition(".")
    if room == "math":
        return _of_math(name, nodes, operands, dtype)
    if room == "cmath":
        of_truth = name in _OF_TRUTH
        return call(f"np.{name}" if of_truth else f"complex_{'angle' if name == 'phase' else name}", dtype, *operands)
    if room == "np":
        return _of_numpy(name, nodes, operands, dtype)
    if name in ("min", "max"):
        return call(name, dtype, *operands)
    if name == "rint":
        return call("np.rint", dtype, *operands)
    if name == "conj":
        return member(operands[0], "conjugate()", dtype)
    if name == "abs" and nodes[0].type.kind == "c":
        return call("complex_size", dtype, *operands)
    if name == "abs":
        return call("abs", dtype if nodes[0].type.kind in "fc" or dtype == "int64" else "", *operands)
    if name in ("trips", "fma"):
        return call(name, dtype, *operands)
    if name in ("high product", "fermat product", "fermat remainder", "quick maximum", "quick minimum"):
        return call(name.replace(" ", "_"), dtype, *operands)
    if name == "joined *":
        return call("join_products", dtype if dtype == "complex128" else "", *operands)
    if name == "complex":
        return call("complex", dtype, *operands)
    assert name == "round", operator
    return rounded(nodes, operands, dtype, of_python=True)


def _of_math(name: str, nodes: Sequence[Expression], operands: Sequence[Py], dtype: str) -> Py:
    own = elementary(name)
    if own == "log" and len(operands) == 2:
        value, base = (call("elementary.log", "float64", each) for each in operands)
        return infix("/", value, base, "float64")
    if own is not None:
        return call(f"elementary.{own}", dtype, *operands)
    if name in ("gcd", "isqrt"):
        text = "math.gcd" if name == "gcd" else "python_isqrt"
        if any(node.type.dtype == "uint64" for node in nodes):
            return call(text, "uint64", *(call("size_of", "uint64", each) for each in operands))
        return call(text, dtype, *operands)
    return call("np.fmod" if name == "fmod" else f"math.{name}", dtype, *operands)


def _of_numpy(name: str, nodes: Sequence[Expression], operands: Sequence[Py], dtype: str) -> Py:
    kind, first = np.dtype(dtype).kind, nodes[0].type
    unsaid = dtype if kind in "fcb" or dtype == "int64" else ""
    if name in ("real", "imag", "conj", "conjugate"):
        whole = as_type(operands[0], "int64") if first.kind == "b" else operands[0]
        return member(whole, name if name in ("real", "imag") else "conjugate()", "" if first.kind == "b" else dtype)
    if name in _OF_TRUTH:
        return call(f"np.{name}", dtype, *operands)
    if first.kind == "c" or name == "angle":
        return _of_complex_numpy(name, operands, dtype)
    if name == "bitwise_count":
        return call("numpy_bitwise_count", "", *operands)
    if name in ("round", "around"):
        return rounded(nodes, operands, dtype, of_python=False)
    if name == "sign" and kind != "b":
        return call("numpy_sign", unsaid, operands[0], literal(1, dtype))
    if name in ANGLES:
        return infix("*", operands[0], literal(angle_factor(name, dtype), dtype), dtype)
    if name == "reciprocal":
        if kind == "f":
            return infix("/", literal(1.0, dtype), operands[0], dtype)
        return call("numpy_reciprocal", "", operands[0], literal(reciprocal_of_zero(dtype), dtype))
    if name in ("where", "clip") or (name in _OWN and not (name == "fmod" and kind == "f")):
        return call(f"numpy_{name}", dtype if name == "where" else unsaid, *operands)
    own = elementary(name)
    if own is not None and kind == "f":
        return call(f"elementary.{own}", dtype, *operands)
    return call(f"np.{name}", unsaid, *operands)


def _of_complex_numpy(name: str, operands: Sequence[Py], dtype: str) -> Py:
    if name in ("abs", "absolute"):
        return call("complex_size", dtype, *operands)
    if name == "power":
        return call("complex_power", dtype if dtype == "complex128" else "", *operands)
    if name in _COMPLEX:
        wide = "float64" if name == "angle" else "complex128"
        return call(f"complex_{name}", wide, as_type(operands[0], "complex128"))
    return call(f"np.{name}", dtype, *operands)


def rounded(nodes: Sequence[Expression], operands: Sequence[Py], dtype: str, of_python: bool) -> Py:
    """`round(x, places)` and `np.round(x, places)`: by a power of ten, in floats; Python rounds its own numbers by
    their exact values."""
    assert isinstance(nodes[1], Constant)
    places, value, kind = int(nodes[1].value.real), operands[0], np.dtype(dtype).kind
    if kind != "f" and places >= 0:
        return value
    if of_python and kind != "f":
        return call("python_rounded", dtype, value, literal(10**-places, "int64"))
    floats = dtype if kind == "f" else "float64"
    value = as_type(value, floats)
    if places == 0:
        return call("np.rint", floats, value)
    power = Py(f"1e{abs(places)}", "float64")
    if of_python:
        return call(f"elementary.{'round_places' if places > 0 else 'round_tens'}", floats, value, power)
    factor = as_type(power, floats)
    first, second = ("*", "/") if places > 0 else ("/", "*")
    made = infix(second, call("np.rint", floats, infix(first, value, factor, floats)), factor, floats)
    return made if kind == "f" or dtype in ("uint32", "uint64") else as_type(made, "int64")


def folded(operator: str, nodes: Sequence[Expression]) -> list[Expression]:
    """The operands of a minimum or maximum of several numbers, which the program has as one of one, and another."""
    first, *others = nodes
    same = isinstance(first, Operation) and first.operator == operator
    return [*(folded(operator, first.operands) if isinstance(first, Operation) and same else [first]), *others]
