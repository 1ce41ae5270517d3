"""Functions of float32 that are computed in float32; those that are not here are computed in float64 and rounded.

Vectors of a CPU hold twice as many float32, and most devices compute them 2 to 64 times as fast. As for float64, e**x
takes whole multiples of log 2 and a rest up to 0.35, and log x is that of x = 2**k * m. They are within 1.4 units in
the last place.
"""

from __future__ import annotations

from math import inf, nan

from somd.elementary.single_primitives import ROUNDING, bits_of, float_of, fma, polynomial, single
from somd.elementary.tables import (
    PER_LN2,
    SINGLE_EXP,
    SINGLE_LN2_FEW,
    SINGLE_LN2_REST,
    SINGLE_LOG,
    SINGLE_ROOT_HALF_BITS,
    SINGLE_TANH,
)

#: beyond these e**x is infinite, or 0
HIGHEST, LOWEST = 89.0, -104.0
SMALLEST = 2.0**-126
#: multiplies numbers below, to be taken for others
TIMES, PLACES = 2.0**23, 23


@single
def power_of_two_single(k: int) -> float:
    """2.0**k for a `k` from -126 to 127."""
    return float_of((k + 127) << 23)


@single
def exp_single(x: float) -> float:
    """e**x"""
    within = HIGHEST if x > HIGHEST else LOWEST if x < LOWEST else x
    turned = fma(within, PER_LN2, ROUNDING)
    whole = turned - ROUNDING
    rest = fma(-whole, SINGLE_LN2_REST, fma(-whole, SINGLE_LN2_FEW, within))
    found = fma(rest * rest, polynomial(rest, SINGLE_EXP), rest) + 1.0
    k = bits_of(turned) - bits_of(ROUNDING)
    first = k >> 1
    return found * power_of_two_single(first) * power_of_two_single(k - first)


@single
def log_single(x: float) -> float:
    """The natural logarithm."""
    small = x < SMALLEST
    bits = bits_of(x * TIMES if small else x)
    k = (bits - SINGLE_ROOT_HALF_BITS) >> 23
    whole = float(k - (PLACES if small else 0))
    f = float_of(bits - (k << 23)) - 1.0
    square = f * f
    more = fma(whole, SINGLE_LN2_REST, f * square * polynomial(f, SINGLE_LOG))
    found = fma(whole, SINGLE_LN2_FEW, f + fma(-0.5 * f, f, more))
    ends = -inf if x == 0.0 else nan if x < 0.0 else x
    return found if x > 0.0 and x < inf else ends


@single
def tanh_single(x: float) -> float:
    """The hyperbolic tangent."""
    size = abs(x)
    square = x * x
    near = fma(x * square, polynomial(square, SINGLE_TANH), x)
    far = 1.0 - 2.0 / (exp_single(size + size) + 1.0)
    return x if x == 0.0 else near if size < 0.625 else far if x > 0.0 else -far if x < 0.0 else x
