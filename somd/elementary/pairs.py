"""Numbers as the exact sum of two float64, the first being the sum rounded: some 100 bits.

T. J. Dekker, "A floating-point technique for extending the available precision", 1971; D. E. Knuth, TAOCP 2.
"""

from __future__ import annotations

from somd.elementary.primitives import fma, inlined, root


@inlined
def two_sum(a: float, b: float) -> tuple[float, float]:
    """`a + b`"""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@inlined
def fast_sum(a: float, b: float) -> tuple[float, float]:
    """`a + b` where `a` is 0 or not the smaller one."""
    total = a + b
    return total, b - (total - a)


@inlined
def two_product(a: float, b: float) -> tuple[float, float]:
    """`a * b`"""
    product = a * b
    return product, fma(a, b, -product)


@inlined
def pair_sum(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """The sum of two pairs."""
    total, rest = two_sum(a, b)
    return fast_sum(total, rest + (a_low + b_low))


@inlined
def pair_product(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """The product of two pairs."""
    product, rest = two_product(a, b)
    return fast_sum(product, rest + fma(a, b_low, a_low * b))


@inlined
def pair_quotient(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """The quotient of two pairs; `b` is not so small that 1/b is infinite."""
    inverse = 1.0 / b
    quotient = a * inverse
    rest = fma(-quotient, b, a) + fma(-quotient, b_low, a_low)
    return fast_sum(quotient, rest * inverse)


@inlined
def pair_root(a: float, a_low: float) -> tuple[float, float]:
    """The square root of a pair above 0."""
    found = root(a)
    return fast_sum(found, (fma(-found, found, a) + a_low) / (found + found))
