"""Calls shared among devices: the bits of one device, few rows exchanged, nothing moved that need not be."""

from __future__ import annotations

import math
import threading
import warnings
from typing import Annotated

import numpy as np
import pytest

import somd
from somd import dist, reduce
from somd.runtime.opencl import count_transfers, watch_launches
from somd.runtime.opencl.devices import select
from somd.runtime.opencl.several import parts
from somd.runtime.opencl.several.arrays import Spread
from somd.runtime.opencl.several.device_array import spread_of
from somd.runtime.opencl.several.group import group_for
from somd.runtime.opencl.several.places import Copy

ROWS, COLUMNS = 70, 33


@somd.somd
def heat(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> None:
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        a, b = b, a


@somd.somd
def red_black(g: dist[np.ndarray], steps: int) -> Annotated[float, reduce("+")]:
    for p in range(steps):
        for i in range(1, g.shape[0] - 1):
            for j in range(1 + (i + p) % 2, g.shape[1] - 1, 2):
                g[i, j] = 0.25 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1])
    total = 0.0
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            total += g[i, j]
    return total


@somd.somd
def reversed_triangle(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i in range(a.shape[0] - 1, -1, -1):
        total = 0.0
        for j in range(i):
            total += a[j, i % a.shape[1]]
        b[2 * i + 1] = total


@somd.somd
def column(a: dist[np.ndarray], at: int) -> None:
    for i in range(a.shape[0]):
        a[i, at] = a[i, at] * 2.0


@somd.somd
def scattered(a: dist[np.ndarray], index: np.ndarray, y: dist[np.ndarray]) -> None:
    for i in range(len(y)):
        y[i] = a[index[i]]


@somd.somd
def doubled(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        b[i] = 2.0 * a[i]


@somd.somd
def one_row_a_call(a: dist[np.ndarray], k: int) -> None:
    for i in range(a.shape[0]):
        if i == k:
            for j in range(a.shape[1]):
                a[i, j] = a[i, j] + 1.0


@somd.somd
def sums_of_columns(a: dist[np.ndarray], sums: dist[np.ndarray]) -> None:
    for j in range(a.shape[1]):
        total = 0.0
        for i in range(a.shape[0]):
            total += a[i, j]
        sums[j] = total


@somd.somd
def rows_by_columns(h: dist[np.ndarray], k: np.ndarray, g: dist[np.ndarray]) -> None:
    for i in range(h.shape[0]):
        for j in range(h.shape[1]):
            g[i, j] = h[i, j] * k[(i * 7 + j) % k.shape[0], j]


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).random(shape)


def test_heat_exchanges_two_rows_a_step(shared: tuple[str, ...]) -> None:
    a, b = random(ROWS, COLUMNS), random(ROWS, COLUMNS)
    expected = a.copy(), b.copy()
    heat.sequential(*expected, 5)
    with somd.use(target="opencl", device=shared), count_transfers() as seen:
        heat(a, b, 5)
    assert np.array_equal(a, expected[0])
    assert np.array_equal(b, expected[1])
    # For the first step each has the rows of its neighbours from the host.
    assert seen.exchanges == 2 * (len(shared) - 1) * 4
    assert seen.exchanged_bytes == seen.exchanges * COLUMNS * 8
    assert seen.downloaded_bytes == a.nbytes + b.nbytes - 2 * (2 * COLUMNS * 8)


def test_red_black_and_its_sum_have_the_bits_of_one_device(shared: tuple[str, ...]) -> None:
    g, other = random(ROWS, COLUMNS), random(ROWS, COLUMNS)
    with somd.use(target="opencl", device=shared[0]):
        expected = red_black(other, 6)
    with somd.use(target="opencl", device=shared), watch_launches() as seen:
        assert red_black(g, 6) == expected
    assert len(seen) == 7 * len(shared)
    assert np.array_equal(g, other)


def test_an_array_that_has_a_name_for_its_rows_and_one_for_all_of_it(shared: tuple[str, ...]) -> None:
    for twice in (False, True):
        h = random(ROWS, COLUMNS)
        k = h if twice else random(ROWS, COLUMNS)
        g, expected = np.zeros((ROWS, COLUMNS)), np.zeros((ROWS, COLUMNS))
        rows_by_columns.sequential(h, k, expected)
        with somd.use(target="opencl", device=shared), watch_launches() as seen:
            rows_by_columns(h, k, g)
        assert len(seen) == len(shared)
        assert np.array_equal(g, expected)


def test_descending_loops_and_strided_rows(shared: tuple[str, ...]) -> None:
    a, b = random(40, 9), random(81)
    expected = b.copy()
    reversed_triangle.sequential(a, expected)
    with somd.use(target="opencl", device=shared), watch_launches() as seen:
        reversed_triangle(a, b)
    assert len(seen) == len(shared)
    assert np.array_equal(b, expected)


def test_a_column_keeps_the_rest_of_its_rows(shared: tuple[str, ...]) -> None:
    a = random(ROWS, COLUMNS)
    expected = a.copy()
    column.sequential(expected, 4)
    with somd.use(target="opencl", device=shared):
        column(a, 4)
    assert np.array_equal(a, expected)


def test_an_array_without_elements(shared: tuple[str, ...]) -> None:
    sums = np.ones(COLUMNS)
    with somd.use(target="opencl", device=shared):
        sums_of_columns(np.ones((0, COLUMNS)), sums)
    assert not sums.any()


@pytest.mark.parametrize("row", [0, 1, ROWS // 2, ROWS - 1])
def test_rows_that_only_one_iteration_writes(row: int, shared: tuple[str, ...]) -> None:
    a = random(ROWS, COLUMNS)
    expected = a.copy()
    one_row_a_call.sequential(expected, row)
    with somd.use(target="opencl", device=shared):
        one_row_a_call(a, row)
    assert np.array_equal(a, expected)


def test_the_lowest_failing_iteration_is_reported_whichever_device_has_it(shared: tuple[str, ...]) -> None:
    a, y = random(10), np.zeros(60)
    index = np.zeros(60, np.int64)
    index[[17, 55]] = 10, 11
    with somd.use(target="opencl", device=shared):
        with pytest.raises(IndexError, match="10") as caught:
            scattered(a, index, y)
        assert "scattered" in str(caught.value) or "index" in str(caught.value)
        assert not y.any()
        index[[17, 55]] = 1, 2
        scattered(a, index, y)
    assert np.array_equal(y, a[index])


def test_device_arrays_stay_where_they_are(shared: tuple[str, ...]) -> None:
    a, b = random(ROWS * COLUMNS), random(ROWS * COLUMNS)
    with somd.use(target="opencl", device=shared):
        on_a, on_b = somd.to_device(a), somd.to_device(b)
        doubled(on_a, on_b)
        with count_transfers() as seen:
            doubled(on_b, on_a)
            doubled(on_a, on_b)
        assert (seen.uploads, seen.downloads, seen.exchanges) == (0, 0, 0)
    assert np.array_equal(on_b.to_host(), 8.0 * a)
    assert np.array_equal(np.asarray(on_a), 4.0 * a)
    with somd.use(target="multicore"):
        doubled(on_b, on_a)
    assert np.array_equal(on_a.to_host(), 16.0 * a)


def test_device_arrays_of_one_device_and_of_several_do_not_mix(shared: tuple[str, ...]) -> None:
    a = somd.to_device(random(50), shared)
    b = somd.to_device(random(50), shared[0])
    with somd.use(target="opencl", device=shared), pytest.raises(ValueError, match="two OpenCL contexts"):
        doubled(a, b)


def test_small_launches_stay_on_one_device(shared: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "FEW", 1000)
    a, b = random(999), random(999)
    with somd.use(target="opencl", device=shared), watch_launches() as seen:
        doubled(a, b)
    assert len(seen) == 1
    assert np.array_equal(b, 2 * a)


def test_a_device_is_taken_once(pair: tuple[str, ...]) -> None:
    a, b = random(50), random(50)
    with somd.use(target="opencl", device=(pair[0], pair[0])), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        doubled(a, b)
    said = str(caught[0].message)
    assert "taken already" in said or "devices of several drivers" in said  # where a second PoCL has one of that number
    assert np.array_equal(b, 2 * a)


def test_devices_of_several_drivers_are_refused(pair: tuple[str, ...]) -> None:
    a, b = random(50), random(50)
    mixed = (pair[0], "oclgrind")
    with somd.use(target="opencl", device=mixed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        doubled(a, b)
    assert "SOMD502" in str(caught[0].message)
    assert np.array_equal(b, 2 * a)


@somd.somd
def elements_between(a: dist[np.ndarray], turns: int) -> float:
    total = 0.0
    for k in range(turns):
        for i in range(len(a)):
            a[i] = a[i] + 1.0
        total += math.fmod(a[-1 - k], 7.0) + a[2 * k]
        a[3 * k] = total
    return total


def test_single_elements_between_phases(shared: tuple[str, ...]) -> None:
    a = random(400_000)
    expected = a.copy()
    total = elements_between.sequential(expected, 2)
    with somd.use(target="opencl", device=shared), count_transfers() as seen:
        assert elements_between(a, 2) == total
    assert np.array_equal(a, expected)
    assert seen.downloaded_bytes < 2 * a.nbytes


def test_rows_that_one_thread_brings_are_waited_for(pair: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A device has rows when their copies are enqueued, not when they are noted."""
    spread = spread_of(group_for(tuple(map(select, pair))), np.arange(9.0))
    begun, done, move = threading.Event(), threading.Event(), Spread._move
    order: list[str] = []

    def slow(self: Spread, copy: Copy) -> None:
        begun.set()
        done.wait(10)
        move(self, copy)
        order.append("moved")

    def second() -> None:
        spread.need(1, 0, 9)
        order.append("used")

    monkeypatch.setattr(Spread, "_move", slow)
    threads = [threading.Thread(target=spread.need, args=(1, 0, 9)), threading.Thread(target=second)]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    threads[1].join(0.2)
    done.set()
    for thread in threads:
        thread.join(10)
    assert order == ["moved", "used"]
    assert spread.to_host().tolist() == [float(i) for i in range(9)]
