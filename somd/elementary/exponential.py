"""e**x and its like: x is split into whole multiples of log 2 and a rest up to 0.35, whose power is a polynomial."""

from __future__ import annotations

from somd.elementary.pairs import fast_sum, two_product, two_sum
from somd.elementary.primitives import ROUNDING, bits_of, float_of, fma, inlined, polynomial
from somd.elementary.tables import EXP, LN2, LN2_FEW, LN2_FEW_REST, LN2_REST, PER_LN2

#: beyond these e**x is infinite, or 0
HIGHEST, LOWEST = 710.0, -746.0


@inlined
def power_of_two(k: int) -> float:
    """2.0**k for a `k` from -1022 to 1023."""
    return float_of((k + 1023) << 52)


@inlined
def scaled(value: float, k: int) -> float:
    """`value * 2.0**k` for a `k` from -2044 to 2046."""
    first = k >> 1
    return value * power_of_two(first) * power_of_two(k - first)


@inlined
def whole_of(turned: float) -> int:
    """The integer that was rounded to by adding `ROUNDING`."""
    return bits_of(turned) - bits_of(ROUNDING)


@inlined
def exp_of_rest(x: float, low: float) -> tuple[float, float]:
    """e**(x + low) for an `x` up to 0.35; the second part is up to 0.07."""
    first = 1.0 + x
    second = fma(x * x, polynomial(x, EXP), fma(low, x, low))
    return first, ((1.0 - first) + x) + second


@inlined
def exp_parts(x: float, low: float) -> tuple[float, float, float]:
    """(first, second, turned): e**(x + low) is their sum times 2**whole_of(turned), for an `x` from -1000 to 1000."""
    turned = fma(x, PER_LN2, ROUNDING)
    whole = turned - ROUNDING
    near = fma(-whole, LN2_FEW, x)
    less = fma(-whole, LN2_FEW_REST, low)
    rest = near + less
    first, second = exp_of_rest(rest, (near - rest) + less)
    return first, second, turned


@inlined
def exp(x: float) -> float:
    """e**x"""
    within = HIGHEST if x > HIGHEST else LOWEST if x < LOWEST else x
    first, second, turned = exp_parts(within, 0.0)
    return scaled(first + second, whole_of(turned))


@inlined
def exp2(x: float) -> float:
    """2**x"""
    within = 1025.0 if x > 1025.0 else -1076.0 if x < -1076.0 else x
    turned = within + ROUNDING
    rest = within - (turned - ROUNDING)
    near, less = two_product(rest, LN2)
    first, second = exp_of_rest(near, fma(rest, LN2_REST, less))
    return scaled(first + second, whole_of(turned))


@inlined
def expm1_parts(x: float) -> tuple[float, float]:
    """e**x - 1 for an `x` from -60 to 700, not 0."""
    first, second, turned = exp_parts(x, 0.0)
    factor = power_of_two(whole_of(turned))
    less, rest = two_sum(first * factor, -1.0)
    return fast_sum(less, fma(second, factor, rest))


@inlined
def expm1(x: float) -> float:
    """e**x - 1"""
    within = 60.0 if x > 60.0 else -60.0 if x < -60.0 else x
    high, low = expm1_parts(within)
    return x if x == 0.0 else exp(x) if x > 60.0 else high + low
