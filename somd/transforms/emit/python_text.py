"""Python text for Numba with the type that Numba takes it for, literals, and brackets where they are needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from somd.transforms.types.scalars import Number

INDENT = "    "
#: how tightly operators bind
CHOICE, OR, AND, NOT, COMPARED, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(14)
BINDS = {
    "|": BIT_OR,
    "^": BIT_XOR,
    "&": BIT_AND,
    "<<": SHIFT,
    ">>": SHIFT,
    "+": SUM,
    "-": SUM,
    "*": PRODUCT,
    "/": PRODUCT,
    "//": PRODUCT,
    "%": PRODUCT,
    "**": POWER,
}
#: literals of these types are plain numbers
PLAIN = ("int64", "float64", "bool")
_FIRST, _LAST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class Py:
    """An expression: its text, the dtype that Numba gives it ("" where that is not said), how tightly it binds."""

    text: str
    dtype: str
    binds: int = ATOM
    #: of an operation with two operands: its left side, its symbol, its right side
    sides: tuple[Py, str, Py] | None = None

    def within(self, binds: int) -> str:
        """The text as an operand of what binds so tightly."""
        return self.text if self.binds >= binds else f"({self.text})"


def literal(value: Number, dtype: str) -> Py:
    """A number written out.

    >>> [literal(*each).text for each in ((3, "int64"), (-0.5, "float32"), (float("inf"), "float64"))]
    ['3', 'np.float32(-0.5)', 'np.inf']
    """
    if dtype == "bool":
        return Py(str(bool(value)), dtype)
    if isinstance(value, complex):
        return as_type(_complex(value), dtype)
    if dtype == "int64" and value == _FIRST:
        return Py(f"{_FIRST + 1} - 1", dtype, SUM)
    if dtype == "float32":
        short = str(np.float32(value))
        text = short if np.float32(float(short)) == np.float32(value) else repr(float(value))
        return Py(f"np.float32({_float(float(text), text)})", dtype)
    text = _float(float(value)) if dtype == "float64" else str(int(value))
    made = Py(text, dtype if dtype in PLAIN else "", SIGN if text.startswith("-") else ATOM)
    return made if dtype in PLAIN else as_type(made, dtype)


def _complex(value: complex) -> Py:
    if repr(value.real) == "0.0" and math.isfinite(value.imag) and math.copysign(1, value.imag) > 0:
        return Py(f"{value.imag!r}j".replace(".0j", "j"), "complex128")
    return Py(f"complex({_float(value.real)}, {_float(value.imag)})", "complex128")


def _float(value: float, text: str = "") -> str:
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return text or repr(value)


def as_type(made: Py, dtype: str) -> Py:
    """`np.dtype(made)`; a float as an unsigned integer as NumPy converts it. What has the type stays."""
    if made.dtype == dtype:
        return made
    if made.dtype.startswith("float") and dtype in ("uint32", "uint64"):
        made = call("float_to_unsigned", "uint64", made)
        return made if dtype == "uint64" else call("np.uint32", dtype, made)
    return call(f"np.{numpy_name(dtype)}", dtype, made)


def numpy_name(dtype: str) -> str:
    """NumPy's name of a type."""
    return "bool_" if dtype == "bool" else dtype


def call(function: str, dtype: str, *arguments: Py) -> Py:
    """A call whose result Numba takes for `dtype`."""
    return Py(f"{function}({', '.join(each.text for each in arguments)})", dtype)


def infix(symbol: str, left: Py, right: Py, dtype: str) -> Py:
    """An operation; the left of two that bind as tightly is done first, but for powers."""
    binds = BINDS[symbol]
    first, second = (binds + 1, SIGN) if symbol == "**" else (binds, binds + 1)
    if binds < SUM:  # of bits: in brackets, as one reads them
        first, second = (first if left.binds == binds else SIGN), SIGN
    text = f"{left.within(first)} {symbol} {right.within(second)}"
    return Py(text, dtype, binds, (left, symbol, right))


def shifted(text: str, constant: int) -> str:
    """`text - constant`"""
    return text if constant == 0 else f"{text} - {constant}" if constant > 0 else f"{text} + {-constant}"


def member(made: Py, name: str, dtype: str) -> Py:
    """An attribute of a number, or a call of a method: `name` has its brackets then."""
    plain = made.binds == ATOM and not made.text[0].isdigit()
    return Py(f"{made.text if plain else f'({made.text})'}.{name}", dtype)


def as_operand(text: str) -> str:
    """A text that may stand beside any operator.

    >>> as_operand("n"), as_operand("8"), as_operand("n - 1")
    ('n', '8', '(n - 1)')
    """
    return text if text.isidentifier() or text.isdecimal() else f"({text})"


def indented(lines: Sequence[str]) -> list[str]:
    """Lines as those of a block."""
    return [INDENT + line for line in lines]
