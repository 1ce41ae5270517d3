"""Functions of complex numbers, with the special values and branch cuts of C99's Annex G, which are NumPy's.

In: a complex number; out: a complex128, computed in float64. Numba's own lose infinities and raise near 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from somd.elementary.roots import distance
from somd.runtime.multicore import elementary as _elementary
from somd.runtime.multicore.numba_internals.native import native

elementary: Any = _elementary
#: above it `exp` is taken in two steps, so that what only looks like an overflow is none
_LARGE = 709.0
_HUGE, _TINY = 2.0**1020, 2.0**-1020
_LOG10_E = math.log10(math.e)


_elementary.offer(distance)


def complex_size(z: Any) -> Any:
    """The absolute value of `z`, of its type's parts."""
    raise NotImplementedError("only compiled code calls this")


@overload(complex_size)
def _complex_size(z: Any) -> Any:
    if z == types.complex64:

        def size(z: Any) -> Any:
            x, y = np.float64(z.real), np.float64(z.imag)
            infinite = (abs(x) == math.inf) | (abs(y) == math.inf)
            return np.float32(math.inf if infinite else math.sqrt(x * x + y * y))

        return size

    def distance_from_zero(z: Any) -> Any:
        return distance(z.real, z.imag)

    return distance_from_zero


@native
def complex_exp(z: complex) -> complex:
    """e to the power of `z`."""
    x, y = np.float64(z.real), np.float64(z.imag)
    if y == 0:
        return complex(elementary.exp(x), y)
    if math.isfinite(y):
        return _polar(x, elementary.cos(y), elementary.sin(y), 1.0)
    if x == -math.inf:
        return complex(0.0, math.copysign(0.0, y))
    return complex(x if x == math.inf else math.nan, math.nan)


@native
def _polar(x: float, cosine: float, sine: float, factor: float) -> complex:
    """e**x times `factor` times (cosine, sine), without overflow on the way."""
    if math.isfinite(x) and x > _LARGE:
        cosine, sine, x = cosine * elementary.exp(_LARGE), sine * elementary.exp(_LARGE), x - _LARGE
        if x > _LARGE:
            cosine, sine, x = cosine * elementary.exp(_LARGE), sine * elementary.exp(_LARGE), x - _LARGE
    size, cosine, sine = elementary.exp(x), cosine * factor, sine * factor
    return complex(size * cosine, size * sine)


@native
def complex_log(z: complex) -> complex:
    """The natural logarithm, its imaginary part from -pi to pi."""
    x, y = abs(np.float64(z.real)), abs(np.float64(z.imag))
    larger, smaller = max(x, y), min(x, y)
    if math.isnan(x) or math.isnan(y):
        size = elementary.log(math.hypot(x, y))
    elif 0.5 < larger < 2.0:
        size = 0.5 * elementary.log1p((larger - 1.0) * (larger + 1.0) + smaller * smaller)
    elif math.isfinite(larger) and larger > _HUGE:
        size = elementary.log(math.hypot(x * 0.25, y * 0.25)) + 2.0 * elementary.log(2.0)
    elif larger < _TINY and larger > 0:
        size = elementary.log(math.hypot(x * 2.0**80, y * 2.0**80)) - 80.0 * elementary.log(2.0)
    else:
        size = elementary.log(math.hypot(x, y))
    return complex(size, elementary.atan2(np.float64(z.imag), np.float64(z.real)))


@native
def complex_log10(z: complex) -> complex:
    """The logarithm to base 10."""
    found = complex_log(z)
    return complex(found.real * _LOG10_E, found.imag * _LOG10_E)


@native
def complex_sqrt(z: complex) -> complex:
    """The square root with a real part of at least 0."""
    x, y = np.float64(z.real), np.float64(z.imag)
    if math.isinf(y):
        return complex(math.inf, y)
    if math.isinf(x):
        other = math.nan if math.isnan(y) else 0.0
        if x > 0:
            return complex(x, math.copysign(other, y))
        return complex(other, math.copysign(math.inf, y))
    if math.isnan(x):
        return complex(x, math.nan)
    if y == 0:
        root = math.sqrt(abs(x))
        return complex(0.0, math.copysign(root, y)) if x < 0 else complex(root, y)
    scale = 1.0
    if max(abs(x), abs(y)) > _HUGE:
        x, y, scale = x * 0.25, y * 0.25, 2.0
    elif max(abs(x), abs(y)) < _TINY:
        x, y, scale = x * 2.0**80, y * 2.0**80, 2.0**-40
    if x == 0:
        root = math.sqrt(0.5 * abs(y))
        return complex(scale * root, scale * math.copysign(root, y))
    root = math.sqrt(0.5 * (abs(x) + math.hypot(x, y)))
    if x > 0:
        return complex(scale * root, scale * (0.5 * (y / root)))
    return complex(scale * abs(0.5 * (y / root)), scale * math.copysign(root, y))


@native
def complex_sinh(z: complex) -> complex:
    """The hyperbolic sine."""
    x, y = np.float64(z.real), np.float64(z.imag)
    if math.isfinite(x):
        if not math.isfinite(y):
            return complex(x if x == 0 else math.nan, math.nan)
        if y == 0:
            return complex(elementary.sinh(x), y)
        cosine, sine = elementary.cos(y), elementary.sin(y)
        if abs(x) > _LARGE:
            return _polar(abs(x), math.copysign(1.0, x) * cosine, sine, 0.5)
        return complex(elementary.sinh(x) * cosine, elementary.cosh(x) * sine)
    if math.isnan(x):
        return complex(x, y if y == 0 else math.nan)
    if y == 0:
        return complex(x, y)
    if not math.isfinite(y):
        return complex(math.inf, math.nan)
    return complex(x * elementary.cos(y), math.inf * elementary.sin(y))


@native
def complex_cosh(z: complex) -> complex:
    """The hyperbolic cosine."""
    x, y = np.float64(z.real), np.float64(z.imag)
    if math.isfinite(x):
        if not math.isfinite(y):
            return complex(math.nan, 0.0 if x == 0 else math.nan)
        if y == 0:
            return complex(elementary.cosh(x), math.copysign(1.0, x) * y)
        cosine, sine = elementary.cos(y), elementary.sin(y)
        if abs(x) > _LARGE:
            return _polar(abs(x), cosine, math.copysign(1.0, x) * sine, 0.5)
        return complex(elementary.cosh(x) * cosine, elementary.sinh(x) * sine)
    if math.isnan(x):
        return complex(x, y if y == 0 else math.nan)
    if y == 0:
        return complex(math.inf, y * math.copysign(1.0, x))
    if not math.isfinite(y):
        return complex(math.inf, math.nan)
    return complex(math.inf * elementary.cos(y), x * elementary.sin(y))


@native
def complex_tanh(z: complex) -> complex:
    """The hyperbolic tangent (Kahan's algorithm)."""
    x, y = np.float64(z.real), np.float64(z.imag)
    if not math.isfinite(x):
        if math.isnan(x):
            return complex(x, y if y == 0 else math.nan)
        sign = elementary.sin(y) * elementary.cos(y) if math.isfinite(y) else y
        return complex(math.copysign(1.0, x), math.copysign(0.0, sign))
    if not math.isfinite(y):
        return complex(x if x == 0 else math.nan, math.nan)
    if abs(x) >= 22.0:
        small = elementary.exp(-abs(x))
        return complex(math.copysign(1.0, x), 4.0 * elementary.sin(y) * elementary.cos(y) * small * small)
    tangent, sine = elementary.tan(y), elementary.sinh(x)
    beta, rho = 1.0 + tangent * tangent, math.sqrt(1.0 + sine * sine)
    divisor = 1.0 + beta * sine * sine
    return complex(beta * rho * sine / divisor, tangent / divisor)


@native
def complex_sin(z: complex) -> complex:
    """The sine: -i sinh(i z)."""
    if math.isinf(z.imag) and not math.isfinite(z.real):
        return complex(math.nan, math.inf)
    found = complex_sinh(complex(-np.float64(z.imag), np.float64(z.real)))
    return complex(found.imag, -found.real)


@native
def complex_cos(z: complex) -> complex:
    """The cosine: cosh(i z)."""
    return complex_cosh(complex(-np.float64(z.imag), np.float64(z.real)))


@native
def complex_tan(z: complex) -> complex:
    """The tangent: -i tanh(i z)."""
    found = complex_tanh(complex(-np.float64(z.imag), np.float64(z.real)))
    return complex(found.imag, -found.real)


@native
def complex_angle(z: complex) -> float:
    """The angle of `z` from -pi to pi, in radians."""
    return float(elementary.atan2(np.float64(z.imag), np.float64(z.real)))
