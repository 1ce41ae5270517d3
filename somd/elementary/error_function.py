"""The error function and its complement: near 0 a polynomial, else e**(-x**2) by that of a smooth function."""

from __future__ import annotations

from somd.elementary.exponential import exp_parts, scaled, whole_of
from somd.elementary.pairs import fast_sum, pair_product, two_product
from somd.elementary.primitives import bits_of, copysign, float_of, fma, polynomial, row_polynomial
from somd.elementary.tables import ERROR, SCALED_COMPLEMENTS

#: from here on erfc is 0
LAST = 27.5
#: the bits of 0.5
HALF_BITS = 0x3FE0000000000000


def complement(x: float) -> tuple[float, float, float]:
    """(first, second, turned): erfc(x) is their sum times a power of two, for an `x` from 1/2 to `LAST`.

    In intervals of an eighth of a power of two, erfc(x) * e**(x**2) is a polynomial about the middle.
    """
    bits = bits_of(x)
    place = (bits - HALF_BITS) >> 49
    middle = float_of(((bits >> 49) << 49) | (1 << 48))
    row = place * 12
    rest = x - middle
    high, low = fast_sum(
        SCALED_COMPLEMENTS[row],
        fma(rest, row_polynomial(rest, SCALED_COMPLEMENTS, row + 2, 10), SCALED_COMPLEMENTS[row + 1]),
    )
    square, square_low = two_product(x, x)
    first, second, turned = exp_parts(-square, -square_low)
    power, power_low = fast_sum(first, second)
    found, more = pair_product(power, power_low, high, low)
    return found, more, turned


def erf(x: float) -> float:
    """The error function."""
    size = abs(x)
    if size < 0.875:
        square = x * x
        return x if x == 0.0 else fma(x, polynomial(square, ERROR), x)
    if size < 6.0:
        first, second, turned = complement(size)
        return copysign(1.0 - scaled(first + second, whole_of(turned)), x)
    return copysign(1.0, x) if x == x else x


def erfc(x: float) -> float:
    """1 - erf(x)"""
    size = abs(x)
    if size < 0.5:
        high, low = fast_sum(1.0, -x)
        square = x * x
        return high + fma(-x, polynomial(square, ERROR), low)
    if size < LAST:
        first, second, turned = complement(size)
        value = scaled(first + second, whole_of(turned))
        return value if x > 0.0 else 2.0 - value
    return x if x != x else 0.0 if x > 0.0 else 2.0
