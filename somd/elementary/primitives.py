"""The operations that functions of this room are made of beside Python's `+ - * /`, comparisons and operators on bits.

Each stands for one operation of IEEE 754, or a few instructions, on every target; in Python it is what is written here.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

Function = TypeVar("Function", bound=Callable[..., object])
Term = TypeVar("Term")
Fused: TypeAlias = Callable[[Term, Term, Term], Term]

#: adding it to a float64 below 2**51 rounds to an integer, which is in the low bits of the sum
ROUNDING = 1.5 * (1 << 52)


def fma(first: float, second: float, third: float) -> float:
    """`first * second + third`, rounded once."""
    if not (math.isfinite(first) and math.isfinite(second) and math.isfinite(third)):
        return first * second + third
    exact = Fraction(first) * Fraction(second) + Fraction(third)
    return float(exact) if exact else first * second + third


def summed(x: Term, coefficients: Sequence[Term], product: Callable[[Term, Term], Term], fused: Fused[Term]) -> Term:
    """A polynomial by G. Estrin's scheme, neighbouring terms first: shorter chains than W. Horner's."""
    terms = [*reversed(coefficients)]
    while len(terms) > 1:
        pairs = [fused(above, x, below) for below, above in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*pairs, *(terms[-1:] if len(terms) % 2 else [])]
        x = product(x, x) if len(terms) > 1 else x
    return terms[0]


def nearest(value: float) -> float:
    """The integer that is nearest, of two the even one; infinity and nan stay."""
    return float(round(value)) if math.isfinite(value) else value


def bits_of(value: float) -> int:
    """The bits of a float64, as a signed integer."""
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def float_of(bits: int) -> float:
    """The float64 with these bits."""
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])


def root(value: float) -> float:
    """The square root, rounded once; nan below 0."""
    return math.sqrt(value) if value >= 0.0 else math.nan


def copysign(value: float, sign: float) -> float:
    """`value` with the sign of `sign`."""
    return math.copysign(value, sign)


def polynomial(x: float, coefficients: tuple[float, ...]) -> float:
    """The polynomial with these coefficients, a table, the highest power first."""
    return summed(x, coefficients, lambda a, b: a * b, fma)


def row_polynomial(x: float, table: tuple[float, ...], first: int, count: int) -> float:
    """The polynomial whose coefficients stand in a table from `first` on; `count` of them, a literal."""
    return polynomial(x, table[first : first + count])


def inlined(function: Function) -> Function:
    """Let each caller have the code of a function in its own, so that LLVM vectorises the loop around."""
    function.__dict__["inlined"] = True
    return function


def apart(function: Function) -> Function:
    """Keep the code of a rare case out of its callers'."""
    function.__dict__["apart"] = True
    return function
