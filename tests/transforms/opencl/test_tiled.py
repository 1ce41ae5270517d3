"""Loops whose rows, columns, or what all iterations share, are brought in by groups: the bits of plain Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device, watch_launches, workgroups
from tests.devices import has_few
from tests.differential import harness
from tests.transforms.opencl.test_packed import numbers

A = dist[np.ndarray]
single = np.float32


@somd.somd
def row_sums(a: np.ndarray, x: np.ndarray, y: A) -> None:
    for i in range(len(y)):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j] * x[j]
        y[i] = s


@somd.somd
def column_sums(x: np.ndarray, a: np.ndarray, y: A) -> None:
    for j in range(len(y)):
        s = 0.0
        for i in range(1, a.shape[0]):
            s += x[i] * a[i, j]
        y[j] = s


@somd.somd
def downwards(a: np.ndarray, b: np.ndarray, y: A, n: int) -> None:
    """A recurrence down columns of two arrays, one of them shifted, from the second column on."""
    for j in range(1, len(y)):
        if n > 2:
            s = y[j]
            for i in range(n):
                s = s * a[i, j - 1] - b[i + 1, j] + b[i, j]
            y[j] = s


@somd.somd
def attraction(at: np.ndarray, mass: np.ndarray, pull: A) -> None:
    for i in range(at.shape[0]):
        x = y = 0.0
        for j in range(at.shape[0]):
            dx = at[j, 0] - at[i, 0]
            dy = at[j, 1] - at[i, 1]
            square = dx * dx + dy * dy
            force = mass[j] / (square * np.sqrt(square) + mass[i])
            x += dx * force
            y += dy * force
        pull[i, 0] = x
        pull[i, 1] = y


@somd.somd
def nearest(point: np.ndarray, centre: np.ndarray, weight: np.ndarray, label: A) -> None:
    for i in range(len(label)):
        best, at = np.inf, -1
        for c in range(centre.shape[0]):
            apart = (point[i] - centre[c]) * (point[i] - centre[c]) * weight[c]
            if apart < best:
                best = apart
                at = c
        label[i] = at


@somd.somd
def from_a_number(a: np.ndarray, y: A, n: int, k: int) -> None:
    for j in range(len(y)):
        if k > 0:
            s = y[j]
            for i in range(k - 1, n):
                s = s * 0.5 + a[i, j]
            y[j] = s


@dataclass(frozen=True)
class Case:
    method: Any
    arguments: Callable[[int, int], tuple[Any, ...]]


CASES = (
    Case(column_sums, lambda m, n: (numbers(m), numbers(m, n), np.ones(n))),
    Case(attraction, lambda m, n: (numbers(m, 2, dtype=single), numbers(m, dtype=single), np.ones((m, 2), single))),
    Case(column_sums, lambda m, n: (numbers(m, dtype=single), numbers(m, n, dtype=single), np.ones(n, single))),
    Case(column_sums, lambda m, n: (numbers(m), numbers(m, n) * 1j, np.ones(n, complex))),
    Case(downwards, lambda m, n: (numbers(m, n), numbers(m + 1, n), numbers(n), m)),
    Case(row_sums, lambda m, n: (numbers(n, m), numbers(m), np.ones(n))),
    Case(attraction, lambda m, n: (numbers(m, 2), numbers(m), np.ones((m, 2)))),
    Case(nearest, lambda m, n: (numbers(n), numbers(m), numbers(2 * m)[:m], np.ones(n, np.int64))),
)


@pytest.fixture
def with_tiles(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups bring in tiles, large ones."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    monkeypatch.setattr(workgroups, "FILLED", 0.0)
    return quick_device


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_bits_are_those_of_plain_python(with_tiles: Device, number: int) -> None:
    case = CASES[number]
    if has_few(with_tiles) and number > 1:
        pytest.skip("the kernels are those of another device, where they run")
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for size in ((33, 18), (133, 70)):
            harness.check(case.method, case.arguments(*size), "opencl", workers=(1,))
    assert {name for name, _ in seen} == {f"{case.method.__name__}_1_tiled"}


@somd.somd
def middle(a: np.ndarray, w: np.ndarray, y: A) -> None:
    for i in range(y.shape[0]):
        for d in range(y.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k, d] * w[i, k]
            y[i, d] = s


def test_the_middle_one_of_three_axes_is_walked_along_where_the_last_is_short(with_tiles: Device) -> None:
    if has_few(with_tiles):
        pytest.skip("the kernels are those of another device, where they run")
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for rows, trips, across in ((6, 40, 3), (5, 67, 7), (1, 33, 31), (20, 35, 1), (17, 33, 32), (4, 40, 0)):
            given = numbers(rows, trips, across), numbers(rows, trips), np.ones((rows, across))
            harness.check(middle, given, "opencl", workers=(1,))
        assert [name for name, _ in seen].count("middle_1_tiled") == 4
        a, found = numbers(6, 32, 32), numbers(6, 32)
        expected = found.copy()
        middle.__wrapped__(a, expected, expected)
        with somd.use(target="opencl"):
            middle(a, found, found)  # the weights are what is written: no row of them may be loaded before
    np.testing.assert_array_equal(found, expected)


@pytest.mark.usual(2)
def test_few_columns_have_smaller_tiles(with_tiles: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workgroups, "FILLED", 1 << 20)
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for case in CASES[4:5] if has_few(with_tiles) else CASES[3:5]:
            for size in ((33, 18), (400, 21)):
                harness.check(case.method, case.arguments(*size), "opencl", workers=(1,))
    assert {name.rpartition("_")[2] for name, _ in seen} == {"finer"}


def test_roots_and_quotients_that_steps_do_not_reach(with_tiles: Device) -> None:
    """Bodies in one place, at infinity and nowhere: the loop is run again, for those that met one."""
    for dtype, small in ((single, 1e-30), (float, 1e-300)):
        at = numbers(40, 2, dtype=dtype)
        at[3], at[17, 0], mass = at[5], np.nan, numbers(40, dtype=dtype)
        mass[7], at[20, 1] = np.inf, small
        with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"):
            harness.check(attraction, (at, mass, np.ones((40, 2), dtype)), "opencl", workers=(1,))
    text = attraction.source("opencl")
    assert "at__same = active && j_start < j_stop ? at_[i * at__1 + 0] : 0;" in text  # once, and not in each trip


def test_a_start_is_computed_where_the_loop_is_come_to(with_tiles: Device) -> None:
    if has_few(with_tiles):
        pytest.skip("the kernels are those of another device, where they run")
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for k in (0, 3, -2, 1):
            harness.check(from_a_number, (numbers(33, 18), np.ones(18), 33, k), "opencl", workers=(1,))
        text = from_a_number.source("opencl")
    assert "from_a_number_1_tiled" in {name for name, _ in seen}
    assert re.search(r"const long i_start = \(k > 0\) \? .* : 0;", text)
