"""Sine and cosine of all lanes of a strip, in a loop that LLVM vectorises: it does not vectorise calls of a library.

The angle is reduced to a quarter turn with a three-part pi/2 and fused multiply-adds, where the first step is exact;
then come the polynomials of fdlibm. The result is within 1.5 units of the last place. Angles beyond `LIMIT`, infinity
and NaN are left to `math`. What an element becomes depends on that element alone.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.extending import intrinsic

from somd.runtime.multicore.numba_internals.native import native

#: angles up to which the reduction is good: the number of quarter turns must be exact
LIMIT = float(1 << 30)
#: adding it rounds to an integer, which is in the low bits of the sum
ROUNDING = 1.5 * (1 << 52)
QUARTERS = 2.0 / math.pi
#: pi/2, what that leaves, and what both leave
FIRST, SECOND, THIRD = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33
#: the polynomials of fdlibm's kernels on [-pi/4, pi/4], the highest power first
SINE = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
COSINE = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)


@intrinsic
def _fused(typing_context: Any, first: Any, second: Any, third: Any) -> Any:
    """`first * second + third` of float64, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@intrinsic
def _bits_of(typing_context: Any, value: Any) -> Any:
    """The bits of a float64 as an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


fused: Any = _fused
bits_of: Any = _bits_of


@native
def polynomial(x: float, c: Any) -> Any:
    """The polynomial of degree 5 with coefficients `c`."""
    high = fused(x, fused(x, fused(x, c[0], c[1]), c[2]), c[3])
    return fused(x, fused(x, high, c[4]), c[5])


@native
def sine_after(angle: float, quarters: int) -> Any:
    """The sine of an angle up to `LIMIT`, so many quarter turns further."""
    turns = fused(angle, QUARTERS, ROUNDING)
    whole = turns - ROUNDING
    rest = fused(-whole, FIRST, angle)
    rest = fused(-whole, THIRD, fused(-whole, SECOND, rest))
    square = rest * rest
    sine = fused(rest * square, polynomial(square, SINE), rest)
    half = 0.5 * square
    near = 1.0 - half
    cosine = near + (((1.0 - near) - half) + square * square * polynomial(square, COSINE))
    quarter = bits_of(turns) + quarters
    value = cosine if quarter & 1 else sine
    return -value if quarter & 2 else value


@native
def any_beyond(lanes: Any, count: int) -> bool:
    """Whether some angle is left to `math`."""
    beyond = False
    for lane in range(count):
        beyond |= not abs(lanes[lane]) <= LIMIT
    return beyond


@native
def lane_sin(lanes: Any, count: int) -> None:
    """Put the sines of the first `count` angles in their places."""
    if any_beyond(lanes, count):
        for lane in range(count):
            angle = lanes[lane]
            lanes[lane] = sine_of(angle) if abs(angle) <= LIMIT else math.sin(angle)
    else:
        for lane in range(count):
            lanes[lane] = sine_of(lanes[lane])


@native
def sine_of(angle: float) -> Any:
    """The sine of an angle up to `LIMIT`; that of zero has its sign."""
    return angle if angle == 0.0 else sine_after(angle, 0)


@native
def lane_cos(lanes: Any, count: int) -> None:
    """Put the cosines of the first `count` angles in their places."""
    if any_beyond(lanes, count):
        for lane in range(count):
            angle = lanes[lane]
            lanes[lane] = sine_after(angle, 1) if abs(angle) <= LIMIT else math.cos(angle)
    else:
        for lane in range(count):
            lanes[lane] = sine_after(lanes[lane], 1)
