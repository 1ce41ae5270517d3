"""Hyperbolic functions from e**x - 1, and their inverses from logarithms, in pairs."""

from __future__ import annotations

from math import inf, nan

from somd.elementary.exponential import exp_parts, expm1_parts, scaled, whole_of
from somd.elementary.logarithm import log_of_pair
from somd.elementary.pairs import fast_sum, pair_quotient, pair_root, pair_sum, two_product, two_sum
from somd.elementary.primitives import copysign, inlined
from somd.elementary.tables import TWICE_LN2, TWICE_LN2_REST

#: from here on e**-x is nothing beside e**x, and below a function of x is x
FAR, SMALL = 40.0, 2.0**-28
#: from here on x**2 + 1 is nothing beside x**2
LARGE = 2.0**60


@inlined
def half_power(size: float) -> float:
    """e**size / 2, which is finite for some numbers whose power is not."""
    within = size if size < 720.0 else 720.0
    first, second, turned = exp_parts(within, 0.0)
    return scaled(first + second, whole_of(turned) - 1)


@inlined
def sinh(x: float) -> float:
    """The hyperbolic sine."""
    size = abs(x)
    near = size if size < FAR else FAR
    less, less_low = expm1_parts(near)
    more, more_low = pair_sum(less, less_low, 1.0, 0.0)
    other, other_low = pair_quotient(less, less_low, more, more_low)
    found, low = pair_sum(less, less_low, other, other_low)
    value = 0.5 * (found + low) if size < FAR else half_power(size)
    return x if size < SMALL else copysign(value, x) if x == x else x


@inlined
def cosh(x: float) -> float:
    """The hyperbolic cosine."""
    size = abs(x)
    near = size if size < FAR else FAR
    less, less_low = expm1_parts(near)
    more, more_low = pair_sum(less, less_low, 1.0, 0.0)
    other, other_low = pair_quotient(1.0, 0.0, more, more_low)
    found, low = pair_sum(more, more_low, other, other_low)
    return 0.5 * (found + low) if size < FAR else half_power(size) if x == x else x


@inlined
def tanh(x: float) -> float:
    """The hyperbolic tangent."""
    size = abs(x)
    less, less_low = expm1_parts(2.0 * size if size < 20.0 else 40.0)
    below, below_low = pair_sum(less, less_low, 2.0, 0.0)
    found, low = pair_quotient(less, less_low, below, below_low)
    value = found + low if size < 20.0 else 1.0
    return x if size < SMALL else copysign(value, x) if x == x else x


@inlined
def log_of_sum(size: float, slant: float, slant_low: float) -> float:
    """log(size + slant); slant is taken for `size` where that is above `LARGE`."""
    large = size > LARGE
    whole, whole_low = pair_sum(slant, slant_low, (size if size < LARGE else LARGE), 0.0)
    high, low = log_of_pair((0.5 * size if large else whole), (0.0 if large else whole_low))
    more, more_low = pair_sum((TWICE_LN2 if large else 0.0), (TWICE_LN2_REST if large else 0.0), high, low)
    return more + more_low


@inlined
def asinh(x: float) -> float:
    """The inverse of the hyperbolic sine."""
    size = abs(x)
    near = size if size < LARGE else LARGE
    square, square_low = two_product(near, near)
    more, more_low = pair_sum(square, square_low, 1.0, 0.0)
    slant, slant_low = pair_root(more, more_low)
    value = log_of_sum(size, slant, slant_low)
    return copysign(value, x) if size >= SMALL and size < inf else x


@inlined
def acosh(x: float) -> float:
    """The inverse of the hyperbolic cosine; nan below 1."""
    near = LARGE if x > LARGE else x if x > 1.0 else 2.0
    square, square_low = two_product(near, near)
    less, less_low = two_sum(square, -1.0)
    less, less_low = fast_sum(less, less_low + square_low)
    slant, slant_low = pair_root(less, less_low)
    value = log_of_sum(x, slant, slant_low)
    return nan if not x >= 1.0 else 0.0 if x == 1.0 else value if x < inf else x


@inlined
def atanh(x: float) -> float:
    """The inverse of the hyperbolic tangent; nan beyond 1."""
    size = abs(x)
    near = size if size < 1.0 else 0.5
    more, more_low = two_sum(1.0, near)
    less, less_low = two_sum(1.0, -near)
    high, low = log_of_pair(more, more_low)
    other, other_low = log_of_pair(less, less_low)
    found, rest = pair_sum(high, low, -other, -other_low)
    value = 0.5 * (found + rest)
    within = x if size < SMALL else copysign(value, x)
    return within if size < 1.0 else copysign(inf, x) if size == 1.0 else nan
