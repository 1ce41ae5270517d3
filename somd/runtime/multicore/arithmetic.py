"""Integer operations whose edge cases the processor treats in its own way, as NumPy has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from somd.runtime.multicore.numba_internals.native import native

#: integers that float64 holds lie within it of 0
_EXACT = 1 << 53
#: digits of a quotient behind the first, and the first bit of a word
_DIGITS, _TOP = 56, np.uint64(1 << 63)


@native
def shift_left(value: Any, count: Any) -> Any:
    """`value << count`; 0 where the count is negative or not less than the width."""
    return value << count if 0 <= count < 64 else value ^ value


@native
def shift_right(value: Any, count: Any) -> Any:
    """`value >> count`; 0, or -1 for a negative value, where the count is negative or not less than the width."""
    if 0 <= count < 64:
        return value >> count
    return value ^ value if value >= 0 else ~(value ^ value)


@native
def floor_divide(value: int, divisor: int) -> int:
    """`value // divisor`; the most negative integer by -1 wraps, and by 0 is 0."""
    return -value if divisor == -1 else value // divisor


@native
def integer_power(base: Any, exponent: Any) -> Any:
    """`base ** exponent` of integers, the exponent natural: the low 64 bits, as an int64."""
    result, factor, left = np.uint64(1), np.uint64(base), np.uint64(exponent)
    while left != np.uint64(0):
        if left & np.uint64(1) != np.uint64(0):
            result *= factor
        factor *= factor
        left >>= np.uint64(1)
    return np.int64(result)


@native
def python_quotient(value: int, divisor: int) -> float:
    """`value / divisor` of Python's integers, which is rounded once; inf or nan for a divisor of 0."""
    if value == 0 or divisor == 0 or (-_EXACT <= value <= _EXACT and -_EXACT <= divisor <= _EXACT):
        return np.float64(value) / np.float64(divisor)
    return _long_quotient(value, divisor)


@native
def _long_quotient(value: int, divisor: int) -> float:
    """The quotient digit by digit: more of them than a float has, the last one set if there are others behind."""
    rest, by = np.uint64(value), np.uint64(divisor)
    carried: Any = False
    rest = np.uint64(0) - rest if value < 0 else rest
    by = np.uint64(0) - by if divisor < 0 else by
    exponent, digits = -_DIGITS, np.uint64(0)
    while rest < _TOP:
        rest, exponent = rest + rest, exponent - 1
    while by < _TOP:
        by, exponent = by + by, exponent + 1
    for _ in range(_DIGITS + 1):
        digits += digits
        if carried or rest >= by:
            rest, digits = rest - by, digits + np.uint64(1)
        carried = rest >= _TOP
        rest += rest
    if carried or rest != np.uint64(0):
        digits |= np.uint64(1)
    size = math.ldexp(np.float64(digits), exponent)
    return -size if (value < 0) != (divisor < 0) else size


@native
def python_compare(whole: int, number: float) -> float:
    """-1.0, 0.0 or 1.0 as an integer is less than a float, equal or greater: exactly; nan for nan."""
    nearest = np.float64(whole)
    if nearest != number or number == 9223372036854775808.0:
        return -1.0 if nearest <= number else 1.0 if nearest > number else number
    exact = np.int64(number)
    return -1.0 if whole < exact else 1.0 if whole > exact else 0.0


@native
def compare_signed(value: int, other: Any) -> Any:
    """-1, 0 or 1 as an int64 is less than a uint64, equal or greater."""
    natural = np.uint64(value)
    return -1 if value < 0 or natural < other else np.int64(natural > other)


@native
def size_of(value: Any) -> Any:
    """The absolute value of an int64 or a uint64, as a uint64."""
    return np.uint64(0) - np.uint64(value) if value < 0 else np.uint64(value)


@native
def fermat_remainder(value: Any, bits: int) -> Any:
    """`value % (2**bits + 1)` for an np.uint32 below `2**(2 * bits)`, as np.uint32: 2**bits is -1 there.

    Without a condition: LLVM makes an overflow test of it, which it does not vectorise.
    """
    rest = np.int32(value & np.uint32((1 << bits) - 1)) - np.int32(value >> np.uint32(bits))
    return np.uint32(rest + (rest >> 31 & (1 << bits) + 1))
