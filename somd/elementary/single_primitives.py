"""The operations of `primitives.py` for functions of float32: their floats are float32, their integers int32.

In Python such a function is run with NumPy's float32, which round each operation and take literals as float32.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar, cast

import numpy as np

from somd.elementary.primitives import summed

Function = TypeVar("Function", bound=Callable[..., object])

#: adding it to a float32 below 2**22 rounds to an integer, which is in the low bits of the sum
ROUNDING = 1.5 * (1 << 23)


def single(function: Function) -> Function:
    """Say that the floats of a function are float32, its integers int32; let each caller have its code."""
    function.__dict__["single"] = True
    function.__dict__["inlined"] = True
    return function


def fma(first: float, second: float, third: float) -> float:
    """`first * second + third`, rounded once."""
    one, other, more = np.float32(first), np.float32(second), np.float32(third)
    if not (np.isfinite(one) and np.isfinite(other) and np.isfinite(more)):
        return _taken(one * other + more)
    exact = Fraction(float(one)) * Fraction(float(other)) + Fraction(float(more))
    return rounded(exact) if exact else _taken(one * other + more)


def rounded(exact: Fraction) -> float:
    """The float32 that is nearest to a fraction, of two the even one."""
    with np.errstate(over="ignore"):
        near = np.float32(float(exact))  # twice rounded: a place off at most
        around = [near, *(np.nextafter(near, np.float32(end)) for end in (-np.inf, np.inf))]
    if not np.isfinite(near):
        return _taken(near)
    finite = [_taken(each) for each in around if np.isfinite(each)]
    return min(finite, key=lambda each: (abs(Fraction(float(each)) - exact), bits_of(each) & 1))


def bits_of(value: float) -> int:
    """The bits of a float32, as a signed integer."""
    return int(struct.unpack("<i", struct.pack("<f", value))[0])


def float_of(bits: int) -> float:
    """The float32 with these bits, those of an int32."""
    return _taken(np.float32(struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]))


def polynomial(x: float, coefficients: tuple[float, ...]) -> float:
    """The polynomial with these coefficients, a table, the highest power first."""
    return summed(x, coefficients, lambda a, b: a * b, fma)


def _taken(value: np.float32) -> float:
    """A float32 as what the functions' annotations call it."""
    return cast("float", value)
