"""x**y: e**(y log x) with log x as a pair. Where y is 2, -1 or 1/2 it is rounded once, be it a literal or not; for the
literals 3 and 4 there are products, rounded once or nearly so."""

from __future__ import annotations

from math import inf, nan

from somd.elementary.exponential import exp_parts, scaled, whole_of
from somd.elementary.logarithm import log_parts
from somd.elementary.pairs import two_product
from somd.elementary.primitives import copysign, fma, inlined, nearest, root


@inlined
def cube(x: float) -> float:
    """x**3, rounded once or nearly so."""
    square, rest = two_product(x, x)
    plain = square * x
    return fma(square, x, rest * x) if abs(plain) < inf else plain


@inlined
def reciprocal(x: float) -> float:
    """x**-1"""
    return 1.0 / x


@inlined
def root_power(x: float) -> float:
    """x**0.5, which is a root but for -infinity and -0.0"""
    return inf if x == -inf else root(x) + 0.0


@inlined
def fourth_power(x: float) -> float:
    """x**4, rounded once or nearly so."""
    square, rest = two_product(x, x)
    plain = square * square
    return fma(square, square, 2.0 * square * rest) if plain < inf else plain


@inlined
def is_whole(y: float) -> bool:
    """Whether a number is an integer, as great ones and infinity are."""
    return nearest(y) == y


@inlined
def general_power(x: float, y: float) -> float:
    """x**y for all numbers."""
    size = abs(x)
    high, low = log_parts(size)
    log_size = high if size > 0.0 and size < inf else -inf if size == 0.0 else size
    product = y * log_size
    rest = fma(y, high, -product) + y * low
    large = abs(product) > 800.0
    within = copysign(800.0, product) if large else product
    first, second, turned = exp_parts(within, 0.0 if large else rest)
    found = scaled(first + second, whole_of(turned))
    whole, even = is_whole(y), is_whole(0.5 * y)
    signed = copysign(found, x) if whole and not even else found
    real = nan if x < 0.0 and x > -inf and not whole else signed
    return 1.0 if y == 0.0 or x == 1.0 or (x == -1.0 and abs(y) == inf) else real


@inlined
def pow(x: float, y: float) -> float:
    """x**y"""
    general, inverse, rooted = general_power(x, y), reciprocal(x), root_power(x)
    rare = inverse if y == -1.0 else rooted if y == 0.5 else general
    return x * x if y == 2.0 else x if y == 1.0 else rare
