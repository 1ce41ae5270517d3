"""The gamma function and the logarithm of its size.

Between -20 and 20, log gamma(2 + d) for a `d` up to 1/2 is a polynomial, and gamma at whole steps from there differs by
a product. Beyond, Stirling's series holds, and Euler's reflection for negative numbers. All of it is done in pairs, as
the logarithm has zeros: at 1 and 2, where the polynomial has them too, and beside negative integers, where near each a
series about it is taken.
"""

from __future__ import annotations

from math import inf, nan

from somd.elementary.circular import sine_and_cosine
from somd.elementary.exponential import exp_parts, power_of_two, scaled, whole_of
from somd.elementary.logarithm import log_of_pair, log_parts
from somd.elementary.pairs import fast_sum, pair_product, pair_quotient, pair_sum, two_sum
from somd.elementary.power import is_whole
from somd.elementary.primitives import copysign, fma, nearest, polynomial, row_polynomial
from somd.elementary.tables import (
    LOG_GAMMA,
    LOG_GAMMA_FIRST,
    LOG_GAMMA_ZEROS,
    PI,
    PI_REST,
    ROOT_LOG,
    ROOT_LOG_REST,
    STIRLING,
)

#: from here on Stirling's series is taken
SERIES = 20.0
#: gamma of greater numbers is infinite, and 0 of numbers below -LAST; log gamma is infinite
GREATEST, LAST, GREATEST_LOG = 171.7, 190.0, 2.557e305
#: numbers below are taken for 0, but for their reciprocals
TINY = 2.0**-60
#: near a zero of log gamma its values are below this; a row of the table has so many numbers
NEAR_ZERO, ROW = 2.0**-7, 13


def log_gamma_about_two(d: float) -> tuple[float, float]:
    """log gamma(2 + d)"""
    high, low = two_sum(LOG_GAMMA_FIRST[6], d * polynomial(d, LOG_GAMMA))
    high, low = pair_product(high, low + LOG_GAMMA_FIRST[7], d, 0.0)
    high, low = pair_sum(LOG_GAMMA_FIRST[4], LOG_GAMMA_FIRST[5], high, low)
    high, low = pair_product(high, low, d, 0.0)
    high, low = pair_sum(LOG_GAMMA_FIRST[2], LOG_GAMMA_FIRST[3], high, low)
    high, low = pair_product(high, low, d, 0.0)
    high, low = pair_sum(LOG_GAMMA_FIRST[0], LOG_GAMMA_FIRST[1], high, low)
    return pair_product(high, low, d, 0.0)


def product_of_steps(d: float, first: float, last: float) -> tuple[float, float]:
    """(first + d) * (first + 1 + d) * ... * (last + d)"""
    high, low = 1.0, 0.0
    step = first
    while step <= last:
        factor, rest = two_sum(step, d)
        high, low = pair_product(high, low, factor, rest)
        step = step + 1.0
    return high, low


def stirling(x: float) -> tuple[float, float]:
    """log gamma(x) for an `x` from `SERIES` on."""
    high, low = log_parts(x)
    high, low = pair_product(high, low, x - 0.5, 0.0)
    high, low = pair_sum(high, low, -x, 0.0)
    inverse = 1.0 / x
    square = inverse * inverse
    rest = inverse * polynomial(square, STIRLING)
    return pair_sum(high, low, ROOT_LOG, ROOT_LOG_REST + rest)


def reflected(x: float) -> tuple[float, float]:
    """-pi / (x * sin(pi * x)), which is gamma(x) * gamma(-x), for an `x` that is not whole."""
    middle = nearest(x)
    d = x - middle
    size = abs(d)
    far = size > 0.25
    angle, less = pair_product(PI, PI_REST, (0.5 - size if far else size), 0.0)
    sine, sine_low, cosine, cosine_low = sine_and_cosine(angle, less)
    high, low = fast_sum((cosine if far else sine), (cosine_low if far else sine_low))
    high, low = pair_product(high, low, x, 0.0)
    odd = not is_whole(0.5 * middle)
    below = (d < 0.0) != odd
    return pair_quotient((PI if below else -PI), (PI_REST if below else -PI_REST), high, low)


def gamma(x: float) -> float:
    """The gamma function; nan at negative integers."""
    if not abs(x) >= TINY:
        return 1.0 / x if x == x else x
    if x < 0.0 and is_whole(x):
        return nan
    if x >= SERIES:
        high, low = stirling(x if x < GREATEST else GREATEST)
        first, second, turned = exp_parts(high, low)
        return scaled(first + second, whole_of(turned)) if x < GREATEST else inf
    if x > -SERIES:
        middle = nearest(x)
        d = x - middle
        high, low = log_gamma_about_two(d)
        first, second, turned = exp_parts(high, low)
        factor = power_of_two(whole_of(turned))
        high, low = fast_sum(first * factor, second * factor)
        if middle >= 2.0:
            more, more_low = product_of_steps(d, 2.0, middle - 1.0)
            high, low = pair_product(high, low, more, more_low)
        else:
            more, more_low = product_of_steps(d, middle, 1.0)
            high, low = pair_quotient(high, low, more, more_low)
        return high + low
    high, low = stirling(-x if -x < LAST else LAST)
    first, second, turned = exp_parts(-high, -low)
    high, low = fast_sum(first, second)
    other, other_low = reflected(x)
    high, low = pair_product(high, low, other, other_low)
    return scaled(high + low, whole_of(turned)) if -x < LAST else copysign(0.0, high)


def log_gamma_near_zero(x: float, whole: float) -> float:
    """log gamma at one of the zeros beside the negative integer `whole`."""
    row = (2 * (-2 - int(whole)) + (1 if x > whole else 0)) * ROW
    apart, rest = two_sum(x - LOG_GAMMA_ZEROS[row], -LOG_GAMMA_ZEROS[row + 1])
    t, low = pair_product(apart, rest, LOG_GAMMA_ZEROS[row + 2], LOG_GAMMA_ZEROS[row + 3])
    return t + fma(t * t, row_polynomial(t, LOG_GAMMA_ZEROS, row + 4, 9), low)


def lgamma(x: float) -> float:
    """The logarithm of the size of the gamma function; infinite at 0 and negative integers."""
    size = abs(x)
    if not size < inf:
        return size
    if x <= 0.0 and is_whole(x):
        return inf
    if size < TINY:
        high, low = log_parts(size)
        return -(high + low)
    if x >= SERIES:
        high, low = stirling(x if x < GREATEST_LOG else SERIES)
        return high + low if x < GREATEST_LOG else inf
    if x > -SERIES:
        middle = nearest(x)
        d = x - middle
        high, low = log_gamma_about_two(d)
        up = middle >= 2.0
        more, more_low = product_of_steps(d, (2.0 if up else middle), (middle - 1.0 if up else 1.0))
        minus = more < 0.0
        more, more_low = log_of_pair((-more if minus else more), (-more_low if minus else more_low))
        high, low = pair_sum(high, low, (more if up else -more), (more_low if up else -more_low))
        if x < -2.0 and abs(high + low) < NEAR_ZERO:
            return log_gamma_near_zero(x, middle)
        return high + low
    high, low = stirling(-x)
    other, other_low = reflected(x)
    minus = other < 0.0
    other, other_low = log_of_pair((-other if minus else other), (-other_low if minus else other_low))
    high, low = pair_sum(other, other_low, -high, -low)
    return high + low
