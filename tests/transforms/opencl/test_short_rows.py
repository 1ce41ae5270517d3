"""Short rows of neighbours, which groups bring in: the bits of plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device, watch_launches, workgroups
from tests.differential import harness
from tests.transforms.opencl.test_packed import numbers

A = dist[np.ndarray]


@somd.somd
def apart(a: np.ndarray, b: np.ndarray, y: A) -> None:
    """Squares of distances to the next row of `b`, which the last column has not."""
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            s = 0.0
            if j + 1 < b.shape[0]:
                for k in range(a.shape[1]):
                    s += (a[i, k] - b[j + 1, k]) ** 2
            y[i, j] = s


@somd.somd
def labels(point: np.ndarray, centre: np.ndarray, y: A) -> None:
    for i in range(len(y) - 1, -1, -1):
        best = np.inf
        for c in range(centre.shape[0]):
            s = 0.0
            for k in range(centre.shape[1]):
                s += (point[i, k] - centre[c, k]) ** 2
            if s < best:
                best = s
                y[i] = c


@somd.somd
def squares(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)


@somd.somd
def least(a: np.ndarray) -> np.ndarray:
    return a.argmin(axis=1)


@pytest.fixture
def with_tiles(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups bring in rows."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    return quick_device


@pytest.mark.usual(2)
def test_the_bits_are_those_of_plain_python(with_tiles: Device) -> None:
    single = np.float32
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for n, m, wide in ((7, 40, 3), (35, 33, 16), (33, 1, 17)):
            given = numbers(n, wide), numbers(m, wide), np.ones((n, m))
            harness.check(apart, given, "opencl", workers=(1,))
            if m > 1:
                harness.check(squares, given[:2], "opencl", workers=(1,))
        points, centres = numbers(150, 5, dtype=single), numbers(9, 5, dtype=single)
        harness.check(labels, (points, centres, np.zeros(150, np.int64)), "opencl", workers=(1,))
    names = [name for name, _ in seen]
    assert [names.count(f"{name}_1_short") for name in ("apart", "squares", "labels")] == [2, 2, 1]
    assert names.count("apart_1") == 1  # rows of 17 elements


@pytest.mark.usual(2)
def test_rows_that_are_walked_several_times_are_brought_in_once(with_tiles: Device) -> None:
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for n, wide in ((3000, 40), (3001, 64), (3000, 65), (1, 5)):
            given = np.round(numbers(n, wide), 1)  # with ties
            given[n // 2, wide // 3] = np.nan
            harness.check(least, (given,), "opencl", workers=(1,))
    names = [name for name, _ in seen]
    assert names.count("least_1_short") == 2  # rows of 65 elements are too long, and one row is no work for groups
