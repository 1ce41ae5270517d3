"""Places of extremes are those of NumPy, across the blocks that they are looked for in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from somd import dist, somd, use
from tests.usual import ALL


@somd
def largest(a: dist[np.ndarray]) -> int:
    return np.argmax(a)


@somd
def smallest(a: dist[np.ndarray]) -> int:
    return (a * 2.0).argmin()


@somd
def of_columns(a: dist[np.ndarray]) -> np.ndarray:
    return a.argmax(axis=0)


@somd
def of_rows(a: dist[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return a.argmax(axis=1), np.abs(a).argmin(axis=-1)


def vectors(n: int) -> list[Any]:
    pick = np.random.default_rng(n)
    found = [pick.integers(0, n, n).astype(float) for _ in range(4)]
    found[1][n // 2] = np.nan
    found[2][:] = np.nan
    found[3][-1], found[3][0] = np.nan, -np.inf
    return [*found, np.full(n, -np.inf), np.full(n, np.inf)]


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.usual(2)
def test_places(target: str) -> None:
    with use(target=target):
        for a in (each for n in (1, 4096, 4097, 9000) for each in vectors(n)):
            assert largest(a) == np.argmax(a) and smallest(a) == np.argmin(a)
        for shape in ((1, 1), (3, 70), (200, 7)):
            matrix = np.random.default_rng(1).integers(0, 9, shape)
            if target == "opencl" or ALL:  # which compiles them faster
                assert largest(matrix) == np.argmax(matrix) and smallest(matrix) == np.argmin(matrix)
            matrix = np.where(matrix == 1, np.nan, matrix)
            assert np.array_equal(of_columns(matrix), np.argmax(matrix, axis=0))
        with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
            largest(np.zeros(0))


@pytest.mark.parametrize("dtype", [np.float32] if not ALL else [np.float32, np.float64, np.int16])
def test_places_in_rows_of_groups(dtype: type) -> None:
    """The first of equal ones, in groups of 128 and behind them, where signs of zeros differ and there is nan."""
    with use(target="multicore", workers=2):
        for length in (1, 127, 128, 129, 257, 700):
            pick = np.random.default_rng(length)
            rows = pick.integers(-9, 9, (9, length)).astype(dtype)
            rows[1], rows[2] = 0, np.sort(rows[2])
            if np.dtype(dtype).kind == "f":
                rows[1, length // 2], rows[3, length // 3], rows[4, -1], rows[5] = -0.0, np.nan, np.inf, -np.inf
            for a in (rows, rows[:, ::-1], np.asfortranarray(rows)):
                largest_at, least_at = of_rows(a)
                assert np.array_equal(largest_at, a.argmax(axis=1))
                assert np.array_equal(least_at, np.abs(a).argmin(axis=-1))
