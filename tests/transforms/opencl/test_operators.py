"""All operators over all pairs of types, and functions over all types, against NumPy's scalars."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest

from somd.runtime.opencl import Device
from somd.transforms.types.scalars import DTYPES, NotTyped, ScalarType, apply
from tests.transforms.opencl.running import assert_same, check, computed, method_from

TYPES = sorted(DTYPES)
EXACT = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
         "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
         ">>": operator.rshift, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
         "==": operator.eq, "!=": operator.ne}  # fmt: skip
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 7.0, -7.0, 1e10, -0.1, 3.0, math.inf, -math.inf, math.nan)


def values(dtype: str) -> list[Any]:
    kind = np.dtype(dtype)
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


def operation(symbol: str, left: str, right: str) -> str | None:
    """dtype of the result, or None where the operation does not exist."""
    try:
        return apply(EXACT[symbol], ScalarType(left), ScalarType(right)).dtype
    except NotTyped:
        return None


@pytest.mark.parametrize("left", TYPES)
def test_binary(quick_device: Device, left: str) -> None:
    """One kernel for each right type, without the planner: `r_k = x op y` for every operator."""
    for right in dict.fromkeys((left, "int64", "float32", "uint8", "uint64")):
        symbols = [symbol for symbol in EXACT if operation(symbol, left, right) is not None]
        a, b = pairs(left, right)
        found = computed([f"x {symbol} y" for symbol in symbols], quick_device, a, b)
        for symbol, result in zip(symbols, found, strict=True):
            with np.errstate(all="ignore"):
                wanted = [EXACT[symbol](x, y) for x, y in zip(a, b, strict=True)]
            assert_same(np.array(wanted), result)


WEAK = ("x + 3", "3 - x", "x * 2.5", "x / 3", "7 // x", "x // 3", "x % 3", "-7 % x", "x < 2.5", "x == 3", "-1 < x <= 5",
        "x if x > 1 else 1", "-x", "~x", "+x", "not x", "abs(x)", "int(x)", "float(x)", "bool(x)", "x ** 2",
        "x > 1 and x < 5", "x < 1 or x > 5", "x << 3", "x >> 1", "x & 6", "x | 9", "x ^ 5", "min(x, x + x)",
        "np.minimum(x, 3)", "np.maximum(x, 1)", "np.sign(x)", "np.float32(x)", "np.float64(x)", "np.abs(x)",
        "np.bool_(x)", "x + True", "x < n", "x * y", "x != y")  # fmt: skip
FOR_FLOATS = ("x + 0.1", "x * 0.1", "x - y", "round(x)", "math.floor(x)", "np.floor(x)", "np.rint(x)", "np.isnan(x)", "np.sqrt(x)",
              "math.isinf(x)", "math.fabs(x)", "np.fabs(x)", "math.copysign(x, y)", "math.fmod(x, 3.0)", "x // 0.3",
              "x % 0.3", "x // 0", "x % 0", "x / 0", "min(x, 1.5 * x)", "np.isfinite(x)", "np.trunc(x)",
              "np.int32(x)", "np.uint8(x)", "math.trunc(x)")  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_with_python_numbers(quick_device: Device, dtype: str) -> None:
    kind = np.dtype(dtype)
    small = [v for v in values(dtype) if kind.kind == "b" or (math.isfinite(v) and abs(v) < 101 and v != 0)]
    a = np.array(small, dtype)
    body, outputs = [], {}
    for number, expression in enumerate((*WEAK, *(FOR_FLOATS if kind.kind == "f" else ()))):
        with np.errstate(all="ignore"):
            try:
                names = {"np": np, "math": math, "n": 3, "y": 0.75}
                sample = eval(expression, names, {"x": kind.type(1)})
                for x in a:
                    eval(expression, names, {"x": x})
            except (TypeError, OverflowError, ValueError, ZeroDivisionError):
                continue
        if kind.kind == "u" and ("-7" in expression or "-1" in expression):
            continue
        result = np.asarray(sample).dtype.name
        if result != "float16":
            outputs[f"out_{number}"] = np.zeros(len(a), result)
            body.append(f"        out_{number}[i] = {expression}")
    head = f"def method(a: dist[np.ndarray], n: int, y: float, {', '.join(outputs)}):"
    text = "\n".join([head, "    for i in range(len(a)):", "        x = a[i]", *body, ""])
    check(method_from(text), quick_device, a, 3, 0.75, *outputs.values())


FUNCTIONS = (
    "sqrt exp expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh".split()
)
MATH = "sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh atanh erf erfc gamma lgamma".split()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions(quick_device: Device, dtype: str) -> None:
    lines = [f"np.{name}(x)" for name in FUNCTIONS] + [f"math.{name}(x)" for name in MATH]
    lines += ["math.atan2(x, 0.3)", "np.hypot(x, x)", "x ** 0.5", "x ** 3", "math.degrees(x)", "math.radians(x)", "math.log(x, 3)",
              "np.power(x, 1.5)", "math.pow(x, 2.5)", "math.acosh(1 + x)", "math.exp(x) + math.pi"]  # fmt: skip
    a = np.array([0.05, 0.1, 0.3, 0.6, 0.9], dtype)
    kinds = ["float64" if line.startswith("math") else dtype for line in lines]
    outputs = [np.zeros(len(a), kind) for kind in kinds]
    text = f"def method(a: dist[np.ndarray], {', '.join(f'out_{k}' for k in range(len(lines)))}):\n"
    text += "    for i in range(len(a)):\n        x = a[i]\n"
    text += "".join(f"        out_{k}[i] = {line}\n" for k, line in enumerate(lines))
    check(method_from(text), quick_device, a, *outputs, rtol=2e-6 if dtype == "float32" else 4e-15)


def test_captured_numbers(quick_device: Device) -> None:
    text = """
def method(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] * third + low - big + single * np.pi + (inf if a[i] > 2 else nan) + flag
"""
    names = {"third": 1 / 3, "low": -(2**63), "big": 2**40, "single": np.float32(0.1), "inf": math.inf, "nan": -math.nan}
    check(method_from(text, flag=True, **names), quick_device, np.array([0.5, 3.0]))
