"""All operators over all pairs of types, and functions over all types, against NumPy's scalars."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from somd.runtime.opencl import Device
from somd.transforms.types.scalars import DTYPES
from tests.devices import has_few
from tests.transforms.opencl.running import WEAK_NAMES, assert_same, check, computed, in_language, method_from
from tests.usual import ALL

TYPES = sorted(name for name in DTYPES if np.dtype(name).kind != "c")
SYMBOLS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!="]
#: the types for devices that need not do all
SOME = ("float64", "int64", "uint8")
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 7.0, -7.0, 1e10, -0.1, 3.0, math.inf, -math.inf, math.nan)


PARTS = (0.0, -0.0, 1.0, -2.5, 3.0, math.inf, -math.inf, math.nan)


def values(dtype: str) -> list[Any]:
    kind = np.dtype(dtype)
    if kind.kind == "c":
        return [complex(x, y) for x in PARTS for y in PARTS]
    if kind.kind == "b":
        return [False, True]
    if kind.kind == "f":
        return list(FLOATS)
    limits = np.iinfo(kind)
    wanted = (0, 1, 2, 3, 5, 7, 31, 100, -1, -2, -3, -7, -100, limits.max, limits.max - 1, limits.min, limits.min + 1)
    return [v for v in wanted if limits.min <= v <= limits.max]


def pairs(left: str, right: str) -> tuple[np.ndarray, np.ndarray]:
    both = list(itertools.product(values(left), values(right)))
    return np.array([p[0] for p in both], left), np.array([p[1] for p in both], right)


def agree(expressions: Iterable[str], device: Device, x: np.ndarray, y: np.ndarray, rtol: float = 0.0) -> None:
    """The expressions that the language has for these types give on the device what Python gives."""
    kept = in_language(tuple(expressions), x.dtype.name, y.dtype.name)
    found = computed(kept, device, x, y)
    for expression, result in zip(kept, found, strict=True):
        with np.errstate(all="ignore"):
            names = {"np": np, "math": math, **WEAK_NAMES}
            wanted = [eval(expression, names, {"x": p, "y": q}) for p, q in zip(x, y, strict=True)]
        try:
            assert_same(np.array(wanted, result.dtype), result, rtol)
        except AssertionError as error:
            raise AssertionError(f"{expression} of {x.dtype} and {y.dtype}: {error}") from None


@pytest.mark.parametrize("left", TYPES)
@pytest.mark.usual(3)
def test_binary(quick_device: Device, left: str) -> None:
    rights: tuple[str, ...] = (left, "int64", "float32", "uint8", "uint64")
    if left not in SOME and not ALL:
        rights = (left, "int64", "float32")
    if has_few(quick_device):
        rights = ("int64", "uint64") if left in SOME else ()
    for right in dict.fromkeys(rights):
        agree([f"x {symbol} y" for symbol in SYMBOLS], quick_device, *pairs(left, right))


WEAK = ("x + 3", "3 - x", "x * 2.5", "x / 3", "7 // x", "x // 3", "x % 3", "-7 % x", "x < 2.5", "x == 3", "-1 < x <= 5",
        "x if x > 1 else 1", "-x", "~x", "+x", "not x", "abs(x)", "int(x)", "float(x)", "bool(x)", "x ** 2",
        "x > 1 and x < 5", "x < 1 or x > 5", "x << 3", "x >> 1", "x & 6", "x | 9", "x ^ 5", "min(x, x + x)",
        "np.minimum(x, 3)", "np.maximum(x, 1)", "np.sign(x)", "np.float32(x)", "np.float64(x)", "np.abs(x)",
        "np.bool_(x)", "x + True", "x < n", "x * w", "x != w")  # fmt: skip
FOR_FLOATS = ("x + 0.1", "x * 0.1", "x - w", "round(x)", "math.floor(x)", "np.floor(x)", "np.rint(x)", "np.isnan(x)",
              "np.sqrt(x)", "math.isinf(x)", "math.fabs(x)", "np.fabs(x)", "math.copysign(x, w)", "x // 0.3",
              "x % 0.3", "x // 0", "x % 0", "x / 0", "min(x, 1.5 * x)", "np.isfinite(x)", "np.trunc(x)",
              "np.int32(x)", "np.uint8(x)", "math.trunc(x)")  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.usual(3)
def test_with_python_numbers(quick_device: Device, dtype: str) -> None:
    if has_few(quick_device) and dtype not in SOME:
        pytest.skip("another device does all types")
    kind = np.dtype(dtype).kind
    x = np.array([v for v in values(dtype) if kind == "b" or (abs(v) < 101 and v != 0)], dtype)
    wanted = (*WEAK, *FOR_FLOATS) if kind == "f" else WEAK
    agree([e for e in wanted if kind != "u" or "-" not in e], quick_device, x, x[::-1].copy())


_FUNCTIONS = """
sqrt exp expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh
"""
_MATH = """
sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh atanh erf erfc gamma lgamma
"""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.usual(3)
def test_functions(quick_device: Device, dtype: str) -> None:
    if has_few(quick_device) and dtype not in SOME:
        pytest.skip("another device does all types")
    expressions = [f"np.{name}(x)" for name in _FUNCTIONS.split()] + [f"math.{name}(x)" for name in _MATH.split()]
    expressions += ["math.atan2(x, 0.3)", "np.hypot(x, x)", "x ** 0.5", "x ** 3", "math.degrees(x)", "math.radians(x)",
                    "np.power(x, w)", "math.pow(x, 2.5)", "math.acosh(1 + x)", "math.exp(x) + math.pi"]  # fmt: skip
    x = np.array([0.05, 0.1, 0.3, 0.6, 0.9], dtype)
    agree(expressions, quick_device, x, x, rtol=2e-6 if dtype == "float32" else 4e-15)


def test_captured_numbers(quick_device: Device) -> None:
    text = """
def method(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] * third + low - big + single * np.pi + (inf if a[i] > 2 else nan) + flag
"""
    names = {
        "third": 1 / 3,
        "low": -(2**63),
        "big": 2**40,
        "single": np.float32(0.1),
        "inf": math.inf,
        "nan": -math.nan,
    }
    check(method_from(text, flag=True, **names), quick_device, np.array([0.5, 3.0]))


COMPLEX = ("x + y", "y - x", "x * y", "y / x", "x == y", "y != x", "x ** 2", "x ** 7", "x ** -2", "x * 2", "2.5 - x",
           "x + 1j", "(1 + 2j) * x", "x / 3j", "x == 1", "-x", "abs(x)", "x.real - x.imag", "x.conjugate()", "not x",
           "np.complex64(x)", "np.complex128(y)", "x if x == y else 1", "np.isnan(x)", "np.isfinite(x)",
           "np.power(x, 3)", "complex(x.real, 2)", "(x * 2).imag")  # fmt: skip


@pytest.mark.parametrize("left", ["complex64", "complex128"])
@pytest.mark.parametrize("right", ["complex64", "complex128", "float32", "int64"])
@pytest.mark.usual(3)
def test_complex(quick_device: Device, left: str, right: str) -> None:
    if has_few(quick_device) and (left, right) not in (("complex64", "int64"), ("complex128", "complex64")):
        pytest.skip("another device does all types")
    x, y = pairs(left, right)
    agree(COMPLEX, quick_device, x[::7], y[::7])
