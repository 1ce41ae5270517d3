"""Series: the first Fourier coefficients of (x + 1)^x on [0, 2].

Each coefficient is an integral by the trapezoid rule; there is nothing to share between them. The suite's rule has 998
interior terms, one fewer than it should have, and reaches their x by repeated addition; its reference values depend on
both.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from benchmarks.javagrande.invalid import require
from benchmarks.javagrande.numba_baseline import compiled
from somd import dist, somd

COEFFICIENTS = {"A": 10_000, "B": 100_000, "C": 1_000_000}

END = 2.0
STEP = 2.0 / 1000
INTERIOR_TERMS = 998

PLAIN = 0
COSINE = 1
SINE = 2

FIRST_PAIRS = (
    (2.8729524964837996, 0.0),
    (1.1161046676147888, -1.8819691893398025),
    (0.34429060398168704, -1.1645642623320958),
    (0.15238898702519288, -0.8143461113044298),
)
PAIR_TOLERANCE = 1e-12
SPOT_CHECKS = 16
SPOT_TOLERANCE = 1e-10

Args = tuple[np.ndarray]


def integrand(x: float, frequency: float, weight: int) -> float:
    """(x + 1)^x, by itself or weighted by the cosine or sine of `frequency * x`."""
    value = math.pow(x + 1.0, x)
    if weight == COSINE:
        value = value * math.cos(frequency * x)
    if weight == SINE:
        value = value * math.sin(frequency * x)
    return value


def trapezoid(frequency: float, weight: int) -> float:
    """The integral of `integrand` over [0, 2], by the suite's trapezoid rule."""
    total = 0.5 * integrand(0.0, frequency, weight)
    x = 0.0
    for _ in range(INTERIOR_TERMS):
        x += STEP
        total += integrand(x, frequency, weight)
    total += 0.5 * integrand(END, frequency, weight)
    return total * STEP


def series_plain(coefficients: np.ndarray) -> None:
    """Fill row 0 with a_0, a_1, ... and row 1 with b_0 = 0, b_1, ...: shape (2, n), float64."""
    coefficients[0, 0] = 0.5 * trapezoid(0.0, PLAIN)
    coefficients[1, 0] = 0.0
    for n in range(1, coefficients.shape[1]):
        coefficients[0, n] = trapezoid(math.pi * n, COSINE)
        coefficients[1, n] = trapezoid(math.pi * n, SINE)


@somd
def series(coefficients: dist[np.ndarray]) -> None:
    """`series_plain`, the columns of `coefficients` distributed."""
    coefficients[0, 0] = 0.5 * trapezoid(0.0, PLAIN)
    coefficients[1, 0] = 0.0
    for n in range(1, coefficients.shape[1]):
        coefficients[0, n] = trapezoid(math.pi * n, COSINE)
        coefficients[1, n] = trapezoid(math.pi * n, SINE)


def inputs(count: int) -> Args:
    """Fresh arguments for `count` coefficients; the array holds NaN, so that a coefficient left out is seen."""
    return (np.full((2, count), np.nan),)


def prepare(size: str) -> Args:
    """Fresh arguments of class "A", "B" or "C"."""
    return inputs(COEFFICIENTS[size])


def kernel(coefficients: np.ndarray) -> np.ndarray:
    """What is timed: all coefficients, by the target and workers in force."""
    series(coefficients)
    return coefficients


def sequential(coefficients: np.ndarray) -> np.ndarray:
    """All coefficients, by one thread."""
    _baseline()(coefficients)
    return coefficients


@functools.cache
def _baseline() -> Callable[[np.ndarray], None]:
    return compiled(series_plain, integrand, trapezoid)


def validate(size: str, args: Args, result: np.ndarray) -> None:
    """Raise `InvalidResult` unless the first four pairs are the suite's and pairs spread over the rest are right.

    The suite looks at four pairs only, which the first partition holds; the others are compared with Python's own.
    """
    for n, pair in enumerate(FIRST_PAIRS):
        require(f"a[{n}]", float(result[0, n]), pair[0], PAIR_TOLERANCE)
        require(f"b[{n}]", float(result[1, n]), pair[1], PAIR_TOLERANCE)
    for n in np.linspace(len(FIRST_PAIRS), result.shape[1] - 1, SPOT_CHECKS).astype(int).tolist():
        require(f"a[{n}]", float(result[0, n]), trapezoid(math.pi * n, COSINE), SPOT_TOLERANCE)
        require(f"b[{n}]", float(result[1, n]), trapezoid(math.pi * n, SINE), SPOT_TOLERANCE)
    missing = int(np.count_nonzero(~np.isfinite(result)))
    require("coefficients that are not finite", missing, 0, 0.0)
