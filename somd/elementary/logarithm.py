"""Logarithms: x = 2**k * m with m from 0.7 to 1.4, and log m is a series in s = (m - 1) / (m + 1).

No tables: LLVM does not vectorise loops that look things up.
"""

from __future__ import annotations

from math import inf, nan

from somd.elementary.pairs import fast_sum, pair_product, two_product, two_sum
from somd.elementary.primitives import ROUNDING, bits_of, float_of, fma, inlined, polynomial
from somd.elementary.tables import (
    LN2_FEW,
    LN2_FEW_REST,
    LOG,
    LOG_PARTS,
    PER_LN2,
    PER_LN2_REST,
    PER_LN10,
    PER_LN10_REST,
    ROOT_HALF_BITS,
    TWO_THIRDS,
    TWO_THIRDS_REST,
)

SMALLEST = 2.0**-1022
#: multiplies numbers below, to be taken for others
TIMES, PLACES = 2.0**54, 54


@inlined
def mantissa(x: float) -> tuple[float, float]:
    """(k, m): x = 2**k * m, for an `x` above 0."""
    small = x < SMALLEST
    bits = bits_of(x * TIMES if small else x)
    k = (bits - ROOT_HALF_BITS) >> 52
    whole = float_of(bits_of(ROUNDING) + k - (PLACES if small else 0)) - ROUNDING
    return whole, float_of(bits - (k << 52))


@inlined
def log_parts(x: float) -> tuple[float, float]:
    """log x as a pair, within 2**-64 of it, for an `x` above 0 and not infinite."""
    k, m = mantissa(x)
    f = m - 1.0
    below = m + 1.0
    below_low = m - (below - 1.0)
    inverse = 1.0 / below
    s = f * inverse
    s_low = fma(-s, below_low, fma(-s, below, f)) * inverse
    square, rest = two_product(s, s)
    cube, cube_low = two_product(s, square)
    cube_low = fma(s, fma(s + s, s_low, rest), fma(s_low, square, cube_low))
    more = square * polynomial(square, LOG_PARTS)
    factor = TWO_THIRDS + more
    factor_low = ((TWO_THIRDS - factor) + more) + TWO_THIRDS_REST
    high, low = two_product(cube, factor)
    low = low + fma(cube, factor_low, cube_low * factor)
    high, more = fast_sum(s + s, high)
    whole, rest = fast_sum(k * LN2_FEW, high)
    return whole, rest + (more + (low + fma(k, LN2_FEW_REST, s_low + s_low)))


@inlined
def log_of_pair(x: float, low: float) -> tuple[float, float]:
    """log(x + low)"""
    high, rest = log_parts(x)
    return fast_sum(high, rest + low / x)


@inlined
def with_ends(x: float, found: float) -> float:
    """A logarithm found for positive numbers: at 0, below, and for infinity and nan."""
    ends = -inf if x == 0.0 else nan if x < 0.0 else x
    return found if x > 0.0 and x < inf else ends


@inlined
def log(x: float) -> float:
    """The natural logarithm."""
    k, m = mantissa(x)
    f = m - 1.0
    s = f / (2.0 + f)
    square = s * s
    half_square = 0.5 * f * f
    more = fma(s, fma(square, polynomial(square, LOG), half_square), k * LN2_FEW_REST)
    return with_ends(x, k * LN2_FEW - ((half_square - more) - f))


@inlined
def log2(x: float) -> float:
    """The logarithm to the base 2."""
    high, low = log_parts(x)
    found, rest = pair_product(high, low, PER_LN2, PER_LN2_REST)
    return with_ends(x, found + rest)


@inlined
def log10(x: float) -> float:
    """The logarithm to the base 10."""
    high, low = log_parts(x)
    found, rest = pair_product(high, low, PER_LN10, PER_LN10_REST)
    return with_ends(x, found + rest)


@inlined
def log1p(x: float) -> float:
    """log(1 + x)"""
    near, rest = two_sum(1.0, x)
    high, low = log_parts(near)
    return x if x == 0.0 else with_ends(near, high + (low + rest / near))
