"""Integer operations whose edge cases the processor treats in its own way, as NumPy has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.runtime.multicore.numba_internals.native import native


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
def fermat_remainder(value: Any, bits: int) -> Any:
    """`value % (2**bits + 1)` for an np.uint32 below `2**(2 * bits)`, as np.uint32: 2**bits is -1 there.

    Without a condition: LLVM makes an overflow test of it, which it does not vectorise.
    """
    rest = np.int32(value & np.uint32((1 << bits) - 1)) - np.int32(value >> np.uint32(bits))
    return np.uint32(rest + (rest >> 31 & (1 << bits) + 1))
