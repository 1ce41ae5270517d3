"""Arithmetic of complex numbers as NumPy's scalars have it, and Python's own where it differs.

In: complex64 or complex128 operands of one type. Numba has CPython's division, which raises where NumPy gives inf or
nan, and powers that lose places; both are written out here. A float32 part is computed with in float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from somd.runtime.multicore.complex_functions import complex_exp, complex_log
from somd.runtime.multicore.numba_internals.native import native


def complex_divide(left: Any, right: Any) -> Any:
    """`left / right` by Smith's algorithm as NumPy has it; inf and nan where `right` is 0."""
    raise NotImplementedError("only compiled code calls this")


def complex_multiply(left: Any, right: Any) -> Any:
    """`left * right` as NumPy has it; from Python 3.14 on Numba has CPython's product, which makes inf of some nan."""
    raise NotImplementedError("only compiled code calls this")


def complex_power(base: Any, exponent: Any) -> Any:
    """`base ** exponent` as NumPy has it: by squaring for whole exponents between -100 and 100."""
    raise NotImplementedError("only compiled code calls this")


@overload(complex_divide, inline="always")
def _complex_divide(left: Any, right: Any) -> Any:
    one: Any = np.float32(1) if right == types.complex64 else np.float64(1)

    def divide(left: Any, right: Any) -> Any:
        if abs(right.real) >= abs(right.imag):
            if right.real == 0 and right.imag == 0:
                return complex(left.real / abs(right.real), left.imag / abs(right.real))
            ratio = right.imag / right.real
            scale = one / (right.real + right.imag * ratio)
            return complex((left.real + left.imag * ratio) * scale, (left.imag - left.real * ratio) * scale)
        ratio = right.real / right.imag
        scale = one / (right.imag + right.real * ratio)
        return complex((left.real * ratio + left.imag) * scale, (left.imag * ratio - left.real) * scale)

    return divide


@native
def python_divide(left: complex, right: complex) -> complex:
    """`left / right` of Python's complex numbers; inf and nan where `right` is 0."""
    if abs(right.real) >= abs(right.imag):
        if right.real == 0 and right.imag == 0:
            return complex(left.real / abs(right.real), left.imag / abs(right.real))
        ratio = right.imag / right.real
        divisor = right.real + right.imag * ratio
        return complex((left.real + left.imag * ratio) / divisor, (left.imag - left.real * ratio) / divisor)
    if abs(right.imag) >= abs(right.real):
        ratio = right.real / right.imag
        divisor = right.real * ratio + right.imag
        return complex((left.real * ratio + left.imag) / divisor, (left.imag * ratio - left.real) / divisor)
    return complex(np.nan, np.nan)


@overload(complex_multiply, inline="always")
def _complex_multiply(left: Any, right: Any) -> Any:
    def multiply(left: Any, right: Any) -> Any:
        return complex(left.real * right.real - left.imag * right.imag, left.real * right.imag + left.imag * right.real)

    return multiply


@native
def _numpys_squarings(base: Any, one: Any, count: int) -> Any:
    """`base ** count` for a count of at least 0, in the order and by the products of NumPy."""
    result, factor = one, base
    while count > 0:
        if count & 1:
            result = complex_multiply(result, factor)
        count >>= 1
        if count > 0:
            factor = complex_multiply(factor, factor)
    return result


@native
def _squarings(base: Any, one: Any, count: int) -> Any:
    """`base ** count` for a count of at least 0, in the order and by the products of Python."""
    result, factor = one, base
    while count > 0:
        if count & 1:
            result = result * factor
        count >>= 1
        if count > 0:
            factor = factor * factor
    return result


@overload(complex_power)
def _complex_power(base: Any, exponent: Any) -> Any:
    kind: Any = np.complex64 if base == types.complex64 else np.complex128
    one, zero, undefined = kind(1), kind(0), kind(complex(np.nan, np.nan))

    def power(base: Any, exponent: Any) -> Any:
        if exponent == zero:
            return one
        if base == zero:
            return zero if exponent.real > 0 else undefined
        if exponent.imag == 0 and -100 < exponent.real < 100 and exponent.real == np.floor(exponent.real):
            count = int(exponent.real)
            if count == 1:
                return base
            if count == 2:
                return complex_multiply(base, base)
            if count == 3:
                return complex_multiply(base, complex_multiply(base, base))
            result = _numpys_squarings(base, one, abs(count))
            return complex_divide(one, result) if count < 0 else result
        return kind(complex_exp(complex_multiply(np.complex128(exponent), complex_log(base))))

    return power


@native
def python_power(base: complex, exponent: complex) -> complex:
    """`base ** exponent` of Python's complex numbers; nan where Python raises."""
    if exponent.imag == 0 and -100 <= exponent.real <= 100 and exponent.real == np.floor(exponent.real):
        count = int(exponent.real)
        result = _squarings(base, complex(1.0, 0.0), abs(count))
        return result if count > 0 else python_divide(complex(1.0, 0.0), result)
    if base == 0:
        return complex(0.0, 0.0) if exponent.real > 0 and exponent.imag == 0 else complex(np.nan, np.nan)
    return base**exponent
