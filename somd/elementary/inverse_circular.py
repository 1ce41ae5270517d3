"""Angles of sines, cosines and tangents."""

from __future__ import annotations

from math import inf, nan

from somd.elementary.pairs import fast_sum
from somd.elementary.primitives import copysign, fma, inlined, polynomial, root
from somd.elementary.tables import (
    ARC_OF_HALF,
    ARC_OF_HALF_REST,
    ARC_OF_ONE,
    ARC_OF_ONE_REST,
    ARC_OF_THREE_HALVES,
    ARC_OF_THREE_HALVES_REST,
    ARC_SINE,
    ARC_TANGENT,
    PI,
    PI_REST,
    QUARTER,
    QUARTER_REST,
)


@inlined
def arc_of_half(size: float) -> tuple[float, float]:
    """(first, rest): the arc cosine of a `size` from 1/2 to 1."""
    square = 0.5 * (1.0 - size)
    sine = root(square)
    rest = fma(-sine, sine, square) / (sine + sine) if square > 0.0 else 0.0
    return 2.0 * sine, 2.0 * fma(sine * square, polynomial(square, ARC_SINE), rest)


@inlined
def asin(x: float) -> float:
    """The arc sine; nan beyond 1."""
    size = abs(x)
    square = x * x
    if size <= 0.5:
        return x if x == 0.0 else fma(x * square, polynomial(square, ARC_SINE), x)
    if size <= 1.0:
        first, rest = arc_of_half(size)
        high, low = fast_sum(QUARTER, -first)
        return copysign(high + (low + (QUARTER_REST - rest)), x)
    return nan


@inlined
def acos(x: float) -> float:
    """The arc cosine; nan beyond 1."""
    size = abs(x)
    square = x * x
    if size <= 0.5:
        high, low = fast_sum(QUARTER, -x)
        return high + (low + fma(-x * square, polynomial(square, ARC_SINE), QUARTER_REST))
    if size <= 1.0:
        first, rest = arc_of_half(size)
        high, low = fast_sum(PI, -first)
        return first + rest if x > 0.0 else high + (low + (PI_REST - rest))
    return nan


@inlined
def arc_parts(x: float) -> tuple[float, float]:
    """The arc tangent of an `x` from 0 to 1e300: by that of one of 0, 1/2, 1, 3/2 and infinity, and what is left."""
    far, third, second, first = x >= 2.4375, x >= 1.1875, x >= 0.6875, x >= 0.4375
    middle = 1.5 if third else 1.0 if second else 0.5 if first else 0.0
    arc_near = ARC_OF_HALF if first else 0.0
    arc_near = QUARTER if far else ARC_OF_THREE_HALVES if third else ARC_OF_ONE if second else arc_near
    low_near = ARC_OF_HALF_REST if first else 0.0
    low_near = QUARTER_REST if far else ARC_OF_THREE_HALVES_REST if third else ARC_OF_ONE_REST if second else low_near
    above = -1.0 if far else x - middle
    below = x if far else fma(x, middle, 1.0)
    inverse = 1.0 / below
    t = above * inverse
    rest = fma(-t, below, above) * inverse
    square = t * t
    arc = fma(t * square, polynomial(square, ARC_TANGENT), low_near + rest)
    high, more = fast_sum(arc_near, t)
    return high, more + arc


@inlined
def atan(x: float) -> float:
    """The arc tangent."""
    size = abs(x)
    high, low = arc_parts(size if size < 1.0e300 else 1.0e300)
    return copysign(high + low, x) if x == x else x


def atan2(y: float, x: float) -> float:
    """The angle of the point (x, y), from -pi to pi."""
    if x != x or y != y:
        return x + y
    width, height = abs(x), abs(y)
    left = copysign(1.0, x) < 0.0
    if height == 0.0:
        return copysign(PI if left else 0.0, y)
    if width == inf and height == inf:
        return copysign(0.75 * PI if left else 0.25 * PI, y)
    if height == inf or width == 0.0:
        return copysign(QUARTER, y)
    if width == inf:
        return copysign(PI if left else 0.0, y)
    large, small = height > 2.0**500 or width > 2.0**500, height < 2.0**-500 and width < 2.0**-500
    scale = 2.0**-500 if large else 2.0**500 if small else 1.0
    up, across = height * scale, width * scale
    tangent = up / across
    if tangent > 2.0**70:
        return copysign(QUARTER, y)
    if tangent < 2.0**-70:
        return copysign(PI if left else height / width, y)
    high, low = arc_parts(tangent)
    # the quotient lacks something, by which the arc differs
    low = low + fma(-tangent, across, up) / (across * fma(tangent, tangent, 1.0))
    if left:
        first, rest = fast_sum(PI, -high)
        return copysign(first + (rest + (PI_REST - low)), y)
    return copysign(high + low, y)
