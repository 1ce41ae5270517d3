"""Functions of NumPy's scalars where Numba's differ in nan, signed zeros or types, or are missing.

In: operands of one type, that of the result unless it says otherwise. Out: what NumPy's function gives.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from somd.runtime.multicore.numba_internals.native import native

#: the root of the largest uint64
_LAST_ROOT = np.uint64((1 << 32) - 1)


@native
def numpy_sign(value: Any, one: Any) -> Any:
    """1, -1, 0 (for -0.0 too) or nan; `one` is 1 in the type of `value`."""
    if value > 0:
        return one
    if value < 0:
        return -one
    return one - one if value == 0 else value


@native
def numpy_minimum(left: Any, right: Any) -> Any:
    """The smaller one; nan if there is one; the second of equal ones."""
    return left if (left < right) | (left != left) else right  # without a branch, for vectors


@native
def numpy_maximum(left: Any, right: Any) -> Any:
    """The larger one; nan if there is one; the second of equal ones."""
    return left if (left > right) | (left != left) else right


@native
def numpy_fmin(left: Any, right: Any) -> Any:
    """The smaller one, of two with one nan the other."""
    return left if left <= right or right != right else right


@native
def numpy_fmax(left: Any, right: Any) -> Any:
    """The larger one, of two with one nan the other."""
    return left if left >= right or right != right else right


@native
def numpy_clip(value: Any, low: Any, high: Any) -> Any:
    """`value`, but not below `low` nor above `high`; nan if one is."""
    raised = low if value < low or (low != low and value == value) else value
    return high if raised > high or (high != high and raised == raised) else raised


@native
def numpy_where(test: bool, yes: Any, no: Any) -> Any:
    """One of two values, both of them computed."""
    return yes if test else no


@native
def numpy_square(value: Any) -> Any:
    """`value * value`"""
    return value * value


@native
def numpy_reciprocal(value: Any, by_zero: Any) -> Any:
    """`1 / value` of an integer without its fraction; `by_zero` where that is 0."""
    if value == 0:
        return by_zero
    return value if -1 <= value <= 1 else value - value


@native
def numpy_fmod(value: Any, divisor: Any) -> Any:
    """The remainder of integers with the sign of `value`, as C has it; 0 for a divisor of 0."""
    if divisor == 0:
        return value - value
    rest = value % divisor
    return rest - divisor if rest != 0 and (rest < 0) != (value < 0) else rest


@native
def numpy_bitwise_count(value: Any) -> Any:
    """How many bits of the absolute value are set; a uint8."""
    left, count = np.uint64(value), 0
    if value < 0:
        left = np.uint64(0) - left
    while left != 0:
        left, count = left & (left - np.uint64(1)), count + 1
    return np.uint8(count)


@native
def float_to_unsigned(value: float) -> Any:
    """A float as a uint64; what is negative counts from the end."""
    if value >= 9223372036854775808.0:
        return np.uint64(value)
    return np.uint64(np.int64(value))


@native
def python_rounded(value: int, factor: int) -> int:
    """An integer as the nearest multiple of a power of ten; of two that are as near the one with an even count."""
    count = value // factor
    rest = value - count * factor
    left = factor - rest
    if rest > left or (rest == left and count % 2 != 0):
        count += 1
    return count * factor


@native
def python_isqrt(value: Any) -> Any:
    """The whole part of the square root of an int64 or a uint64; 0 for what has none."""
    if value <= 0:
        return 0
    whole, one = np.uint64(value), np.uint64(1)
    root = min(np.uint64(math.sqrt(np.float64(whole))), _LAST_ROOT)
    while root * root > whole:
        root -= one
    while root < _LAST_ROOT and (root + one) * (root + one) <= whole:
        root += one
    return np.int64(root)
