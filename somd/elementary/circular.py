"""Sine, cosine and tangent: the angle is taken to a rest up to pi/4 and a number of quarter turns.

Up to `NEAR` pi/2 in three parts and fused multiply-adds do that, the first step being exact; for greater angles the
digits of 2/pi that matter are multiplied as integers (M. Payne, R. Hanek, "Radian reduction for trigonometric
functions", 1983). The rest is a pair in both cases.
"""

from __future__ import annotations

from math import inf, nan

from somd.elementary.pairs import fast_sum, pair_product, pair_quotient, two_product, two_sum
from somd.elementary.primitives import ROUNDING, apart, bits_of, fma, inlined, polynomial
from somd.elementary.tables import (
    COSINE,
    HALF_SINE,
    MINUS_SIXTH,
    PER_HALF,
    PER_QUARTER,
    PER_QUARTER_DIGITS,
    PI,
    PI_REST,
    PI_THIRD,
    QUARTER,
    QUARTER_REST,
    QUARTER_THIRD,
    SINE,
)

#: angles up to which the number of quarter turns, times pi/2, is found exactly
NEAR = 2.0**30
#: the integers that 2/pi is kept in have so many bits
DIGIT = 28
DIGITS = (1 << 28) - 1


@inlined
def reduced(angle: float) -> tuple[float, float, float]:
    """(rest, low, turned) of an angle up to `NEAR`: rest + low, and in the low bits of `turned` the quarter turns."""
    turned = fma(angle, PER_QUARTER, ROUNDING)
    whole = turned - ROUNDING
    near = fma(-whole, QUARTER, angle)
    less, less_low = two_product(-whole, QUARTER_REST)
    rest, low = fast_sum(near, less)
    return rest, low + fma(-whole, QUARTER_THIRD, less_low), turned


@apart
def reduced_far(angle: float) -> tuple[float, float, float]:
    """The same of any angle; nan of infinity and nan."""
    size = abs(angle)
    if not size < inf:
        return nan, nan, ROUNDING
    bits = bits_of(size)
    exponent = (bits >> 52) - 1075
    whole = (bits & ((1 << 52) - 1)) | (1 << 52)
    # whole * 2**exponent as three digits, the lowest of them worth 2**(28 * first); 2341 is 2**16 / 28
    first = (exponent * 2341) >> 16
    shift = exponent - DIGIT * first
    low = (whole & DIGITS) << shift
    high = (whole >> DIGIT) << shift
    x0 = low & DIGITS
    middle = (low >> DIGIT) + (high & DIGITS)
    x1 = middle & DIGITS
    x2 = (middle >> DIGIT) + (high >> DIGIT)
    # the product with 2/pi modulo 4: a digit in front of the point, and seven behind it
    at = first + 2
    c7 = x0 * PER_QUARTER_DIGITS[at + 7] + x1 * PER_QUARTER_DIGITS[at + 8] + x2 * PER_QUARTER_DIGITS[at + 9]
    c6 = x0 * PER_QUARTER_DIGITS[at + 6] + x1 * PER_QUARTER_DIGITS[at + 7] + x2 * PER_QUARTER_DIGITS[at + 8]
    c5 = x0 * PER_QUARTER_DIGITS[at + 5] + x1 * PER_QUARTER_DIGITS[at + 6] + x2 * PER_QUARTER_DIGITS[at + 7]
    c4 = x0 * PER_QUARTER_DIGITS[at + 4] + x1 * PER_QUARTER_DIGITS[at + 5] + x2 * PER_QUARTER_DIGITS[at + 6]
    c3 = x0 * PER_QUARTER_DIGITS[at + 3] + x1 * PER_QUARTER_DIGITS[at + 4] + x2 * PER_QUARTER_DIGITS[at + 5]
    c2 = x0 * PER_QUARTER_DIGITS[at + 2] + x1 * PER_QUARTER_DIGITS[at + 3] + x2 * PER_QUARTER_DIGITS[at + 4]
    c1 = x0 * PER_QUARTER_DIGITS[at + 1] + x1 * PER_QUARTER_DIGITS[at + 2] + x2 * PER_QUARTER_DIGITS[at + 3]
    c0 = x0 * PER_QUARTER_DIGITS[at] + x1 * PER_QUARTER_DIGITS[at + 1] + x2 * PER_QUARTER_DIGITS[at + 2]
    c6 = c6 + (c7 >> DIGIT)
    c5 = c5 + (c6 >> DIGIT)
    c4 = c4 + (c5 >> DIGIT)
    c3 = c3 + (c4 >> DIGIT)
    c2 = c2 + (c3 >> DIGIT)
    c1 = c1 + (c2 >> DIGIT)
    c0 = c0 + (c1 >> DIGIT)
    # from 1/2 on the next quarter turn is nearer, and what is left is below 0
    up = (c1 >> (DIGIT - 1)) & 1
    turns = (c0 & 3) + up
    first_part = float((c1 & DIGITS) - (up << DIGIT)) * 2.0**-28
    part, rest = two_sum(first_part, float(c2 & DIGITS) * 2.0**-56)
    part, more = two_sum(part, float(c3 & DIGITS) * 2.0**-84)
    part, last = two_sum(part, float(c4 & DIGITS) * 2.0**-112)
    part, rest = fast_sum(part, rest + (more + (last + float(c5 & DIGITS) * 2.0**-140)))
    near, less = pair_product(part, rest, QUARTER, QUARTER_REST)
    if angle < 0.0:
        return -near, -less, ROUNDING - float(turns)
    return near, less, ROUNDING + float(turns)


@inlined
def sine_and_cosine(rest: float, low: float) -> tuple[float, float, float, float]:
    """Sine and cosine of rest + low, up to pi/4, each as two parts."""
    square = rest * rest
    cubes = fma(rest * square, polynomial(square, SINE), low)
    halved = 0.5 * square
    near = 1.0 - halved
    less = fma(square * square, polynomial(square, COSINE), fma(-rest, low, (1.0 - near) - halved))
    return rest, cubes, near, less


@inlined
def in_quarter(rest: float, low: float, quarter: int) -> float:
    """The sine of rest + low and so many quarter turns."""
    sine, sine_low, cosine, cosine_low = sine_and_cosine(rest, low)
    found = cosine + cosine_low if quarter & 1 == 1 else sine + sine_low
    return -found if quarter & 2 == 2 else found


@inlined
def sine_by_halves(angle: float, halves: float, turned: float) -> float:
    """The sine of an angle that many half turns away; `turned` has in its lowest bit whether the sign changes."""
    near = fma(-halves, PI, angle)
    less, less_low = two_product(-halves, PI_REST)
    rest, low = fast_sum(near, less)
    low = low + fma(-halves, PI_THIRD, less_low)
    square = rest * rest
    curve = fma(square, MINUS_SIXTH, square * polynomial(square, HALF_SINE))
    # the low part counts by the cosine, for which a parabola will do
    found = rest + fma(rest, curve, fma(-0.405 * square, low, low))
    return -found if bits_of(turned) & 1 == 1 else found


@inlined
def sin_near(angle: float) -> float:
    """The sine of an angle up to `NEAR`: the rest of half turns, up to pi/2, needs one polynomial."""
    turned = fma(angle, PER_HALF, ROUNDING)
    return angle if angle == 0.0 else sine_by_halves(angle, turned - ROUNDING, turned)


@inlined
def cos_near(angle: float) -> float:
    """The cosine of an angle up to `NEAR`: the sine of what is left of half turns and a quarter."""
    size = abs(angle)
    turned = fma(size, PER_HALF, -0.5) + ROUNDING
    return sine_by_halves(size, (turned - ROUNDING) + 0.5, turned + 1.0)


@apart
def sin_far(angle: float) -> float:
    """The sine of any angle."""
    rest, low, turned = reduced_far(angle)
    return in_quarter(rest, low, bits_of(turned))


@apart
def cos_far(angle: float) -> float:
    """The cosine of any angle."""
    rest, low, turned = reduced_far(angle)
    return in_quarter(rest, low, bits_of(turned) + 1)


@inlined
def sin(angle: float) -> float:
    """The sine."""
    if abs(angle) <= NEAR:
        return sin_near(angle)
    return sin_far(angle)


@inlined
def cos(angle: float) -> float:
    """The cosine."""
    if abs(angle) <= NEAR:
        return cos_near(angle)
    return cos_far(angle)


@inlined
def tangent(rest: float, low: float, quarter: int) -> float:
    """The tangent of rest + low and so many quarter turns."""
    sine, sine_low, cosine, cosine_low = sine_and_cosine(rest, low)
    up, up_low = fast_sum(sine, sine_low)
    down, down_low = fast_sum(cosine, cosine_low)
    turned = quarter & 1 == 1
    above, above_low = (-down if turned else up), (-down_low if turned else up_low)
    below, below_low = (up if turned else down), (up_low if turned else down_low)
    found, more = pair_quotient(above, above_low, below, below_low)
    return found + more


def tan(angle: float) -> float:
    """The tangent."""
    if angle == 0.0:
        return angle
    if abs(angle) <= NEAR:
        rest, low, turned = reduced(angle)
        return tangent(rest, low, bits_of(turned))
    rest, low, turned = reduced_far(angle)
    return tangent(rest, low, bits_of(turned))
