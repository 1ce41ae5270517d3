"""Floats rounded to decimal places as Python has it: by the exact value, of two that are as near the even one."""

from __future__ import annotations

from somd.elementary.pairs import two_product
from somd.elementary.primitives import copysign, inlined, nearest


@inlined
def round_places(x: float, factor: float) -> float:
    """`x` to so many places behind the point as `factor`, a power of ten up to 1e22, has zeros."""
    product, low = two_product(x, factor)
    whole = nearest(product)
    over = product - whole
    odd = nearest(whole * 0.5) * 2.0 != whole
    up = over - 0.5 > -low or (over - 0.5 == -low and odd)
    down = over + 0.5 < -low or (over + 0.5 == -low and odd)
    count = whole + 1.0 if up else whole - 1.0 if down else whole
    # of larger ones no neighbour is nearer to the decimal
    return copysign(count / factor, x) if abs(product) < 2.0**53 else x


@inlined
def round_tens(x: float, factor: float) -> float:
    """`x` to a multiple of `factor`, a power of ten up to 1e22."""
    whole = nearest(x / factor)
    product, low = two_product(whole, factor)
    rest, half = x - product, 0.5 * factor
    odd = nearest(whole * 0.5) * 2.0 != whole
    up = rest - half > low or (rest - half == low and odd)
    down = rest + half < low or (rest + half == low and odd)
    count = whole + 1.0 if up else whole - 1.0 if down else whole
    return copysign(count * factor, x) if abs(whole) < 2.0**53 else x
