"""Floating-point sums have the same bits for every number of workers, and on every target.

Sizes lie around the limits of lanes and logical blocks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.blocks import BLOCKS, LANES
from tests.differential import harness

WORKERS = (1, 2, 3, 7, 16)
EDGES = (LANES, BLOCKS, LANES * BLOCKS, 2 * LANES * BLOCKS)
SIZES = (1, 2, *(edge + by for edge in EDGES for by in (-1, 0, 1)), 1_000_003)


@somd.somd
def total(a: dist[np.ndarray], b: dist[np.ndarray]) -> float:
    found = 0.0
    for i in range(len(a) - 1, -1, -1):
        found += a[i]
    return found


@somd.somd
def dot(a: dist[np.ndarray], b: dist[np.ndarray]) -> float:
    found = 0.0
    for i in range(len(a)):
        found += a[i] * b[i]
    return found


@somd.somd
def norm(a: dist[np.ndarray], b: dist[np.ndarray]) -> float:
    return math.sqrt(dot(a, a))


@somd.somd
def rows(a: dist[np.ndarray], b: dist[np.ndarray]) -> float:
    found = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            found += a[i, j] * b[i, j]
    return found


def bits(method: Any, args: tuple[Any, ...], target: str, workers: int) -> bytes:
    with somd.use(target=target, workers=workers):
        return np.asarray(method(*args)).tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", [total, dot, norm], ids=lambda m: m.__name__)
@pytest.mark.usual(3)
def test_vectors(method: Any, dtype: Any) -> None:
    generator = np.random.default_rng(5)
    for size in SIZES:
        args = tuple(generator.uniform(-1, 1, size).astype(dtype) for _ in range(2))
        expect_one(method, args)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(1, 5000), (5000, 1), (1023, 33), (1025, 31), (3000, 65)])
def test_matrices(shape: tuple[int, int], dtype: Any) -> None:
    generator = np.random.default_rng(6)
    expect_one(rows, tuple(generator.uniform(-1, 1, shape).astype(dtype) for _ in range(2)))


def expect_one(method: Any, args: tuple[Any, ...]) -> None:
    """The same bits for every target and number of workers, near the value."""
    runs = [("multicore", n) for n in WORKERS] + [("opencl", n) for n in (1, 16)]
    found = [(bits(method, args, *run), run) for run in runs if harness.unavailable(run[0]) is None]
    assert len({each for each, _ in found}) == 1, (args[0].shape, found)
    dtype = np.float64 if method is norm else args[0].dtype
    value = float(np.frombuffer(found[0][0], dtype)[0])
    x, y = (a.astype(np.float64).ravel() for a in args)
    exact = {total: x, norm: x * x}.get(method, x * y)
    wanted = math.sqrt(math.fsum(exact)) if method is norm else math.fsum(exact)
    tolerance = 1e-13 if args[0].dtype == np.float64 else 1e-5
    assert abs(value - wanted) <= tolerance * (1 + float(np.abs(exact).sum()))
