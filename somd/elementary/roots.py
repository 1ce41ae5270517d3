"""Roots beside the square root, which processors have."""

from __future__ import annotations

from math import inf

from somd.elementary.pairs import pair_sum, two_product
from somd.elementary.primitives import bits_of, copysign, float_of, fma, inlined, polynomial, root
from somd.elementary.tables import CUBE_ROOT


@inlined
def hypot(x: float, y: float) -> float:
    """The root of x**2 + y**2, without overflow on the way; infinite if one of them is."""
    width, height = abs(x), abs(y)
    larger, smaller = (width if width > height else height), (height if width > height else width)
    scale = 2.0**-600 if larger > 2.0**500 else 2.0**600 if larger < 2.0**-500 else 1.0
    back = 2.0**600 if larger > 2.0**500 else 2.0**-600 if larger < 2.0**-500 else 1.0
    across, up = larger * scale, smaller * scale
    first, first_low = two_product(across, across)
    second, second_low = two_product(up, up)
    total, low = pair_sum(first, first_low, second, second_low)
    found = root(total)
    rest = (fma(-found, found, total) + low) / (found + found)
    value = (found + (rest if found > 0.0 else 0.0)) * back
    return inf if width == inf or height == inf else x + y if x != x or y != y else value


@inlined
def distance(x: float, y: float) -> float:
    """The absolute value of x + y i by an algorithm of C. Borges (ACM TOMS 1014), as the C library of Linux has it:
    within one place. Both ways to correct the root are computed, so that vectors can be."""
    width, height = abs(x), abs(y)
    larger, smaller = (width if width > height else height), (height if width > height else width)
    scale = 2.0**-600 if larger > 2.0**511 else 2.0**600 if smaller < 2.0**-459 else 1.0
    back = 2.0**600 if larger > 2.0**511 else 2.0**-600 if smaller < 2.0**-459 else 1.0
    across, up = larger * scale, smaller * scale
    found = root(across * across + up * up)
    over, beside = found - up, found - across
    one = across * (2.0 * over - across) + (over - 2.0 * (across - up)) * over
    other = 2.0 * beside * (across - 2.0 * up) + ((4.0 * beside - up) * up + beside * beside)
    near = (found - (one if found <= 2.0 * up else other) / (2.0 * found)) * back
    value = width + height if larger >= smaller * 2.0**54 else near
    return inf if width == inf or height == inf else value


@inlined
def cbrt(x: float) -> float:
    """The cube root."""
    size = abs(x)
    small = size < 2.0**-1022
    bits = bits_of(size * 2.0**54 if small else size)
    # size = 8**third * m, m from 1 to 8; 21846 is 2**16 / 3
    exponent = (bits >> 52) - (54 if small else 0) - 1023 + 1200
    third = (exponent * 21846) >> 16
    m = float_of((bits & ((1 << 52) - 1)) | ((exponent - 3 * third + 1023) << 52))
    near = polynomial(m, CUBE_ROOT)
    cubed = near * near * near
    nearer = near * ((cubed + (m + m)) / ((cubed + cubed) + m))
    square, square_low = two_product(nearer, nearer)
    rest = fma(square, nearer, -m) + square_low * nearer
    found = nearer - rest / (3.0 * square)
    value = found * float_of((third - 400 + 1023) << 52)
    return copysign(value, x) if size < inf and size > 0.0 else x
