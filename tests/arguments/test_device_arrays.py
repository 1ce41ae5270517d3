"""Arrays that stay on a device between calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

pytest.importorskip("pyopencl")

import somd
from somd import ByKey, SomdCompileError, SomdRuntimeError, dist, like, partition, single
from somd.runtime.opencl import DeviceArray, NoDevice, count_transfers, select
from tests.trials import with_trials


@pytest.fixture(autouse=True)
def opencl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(with_trials(tmp_path)))
    try:
        select()
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])
    with somd.use(target="opencl"):
        yield


@somd.somd
def scaled(a: dist[np.ndarray], factor: float) -> np.ndarray:
    b = np.empty_like(a)
    for i in range(len(a)):
        b[i] = a[i] * factor
    return b


@somd.somd
def add_to(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    for i in range(a.shape[0]):
        a[i] += b[i]
    return a


@somd.somd
def total(a: dist[np.ndarray]) -> float:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


@somd.somd
def shares(x: np.ndarray) -> np.ndarray:
    return (x - x.min(axis=0)) / x.sum()


def test_a_call_like_one_before_looks_at_memory_anew() -> None:
    x, y = somd.to_device(np.full(5, 1.0)), somd.to_device(np.full(5, 2.0))
    for _ in range(3):
        add_to(x, y)
    assert np.asarray(x).tolist() == [7.0] * 5
    again = DeviceArray(x.array)
    assert add_to(x, again) is x and np.asarray(again).tolist() == [14.0] * 5
    assert np.asarray(add_to(y, somd.to_device(np.arange(5.0)))).tolist() == [2.0, 3.0, 4.0, 5.0, 6.0]
    assert np.asarray(add_to(y, np.ones(5))).tolist() == [3.0, 4.0, 5.0, 6.0, 7.0]
    host = np.ones(5)
    assert add_to(host, y) is host and host.tolist() == [4.0, 5.0, 6.0, 7.0, 8.0]


def test_methods_of_arrays_are_known_on_a_device() -> None:
    x = np.arange(12.0).reshape(3, 4)
    with somd.use(target="opencl"):
        assert np.array_equal(np.asarray(shares(somd.to_device(x))), shares.sequential(x))


def test_chained_calls_move_nothing() -> None:
    a = somd.to_device(np.arange(100.0))
    with count_transfers() as seen:
        b = scaled(a, 2.0)
        for _ in range(3):
            b = scaled(b, 0.5)
            assert add_to(a, b) is a
    assert (seen.uploads, seen.downloads) == (0, 0)
    assert isinstance(b, DeviceArray)
    assert np.array_equal(np.asarray(b), np.arange(100.0) * 0.25)
    assert np.array_equal(np.asarray(a), np.arange(100.0) * 2.75)
    assert total(a) == 2.75 * 4950


def test_only_what_is_changed_comes_back() -> None:
    a, b = np.ones(1000), np.ones(1000)
    with count_transfers() as seen:
        add_to(a, b)
    assert (seen.uploads, seen.downloads, seen.downloaded_bytes) == (2, 1, a.nbytes)
    with count_transfers() as seen:
        scaled(a, 2.0)
    assert (seen.uploads, seen.downloads) == (1, 1)
    a.flags.writeable = False
    assert scaled(a, 2.0)[0] == 4.0


def test_the_same_array_twice_and_parts_of_one_buffer() -> None:
    a = somd.to_device(np.arange(8.0))
    add_to(a, a)
    assert np.array_equal(np.asarray(a), np.arange(8.0) * 2)
    import pyopencl.array as arrays

    other = arrays.Array(a.array.queue, (4,), np.float64, data=a.array.base_data)
    with pytest.raises(SomdRuntimeError, match="SOMD309"):
        add_to(a, other)


def test_arrays_of_pyopencl_and_of_the_host() -> None:
    a = somd.to_device(np.arange(8.0)).array
    assert add_to(a, np.ones(8)) is a
    assert np.array_equal(a.get(), np.arange(8.0) + 1)
    host = np.zeros(8)
    assert add_to(host, a) is host
    assert np.array_equal(host, np.arange(8.0) + 1)


def test_on_another_target_they_are_copied_there_and_back() -> None:
    a, b = somd.to_device(np.arange(8.0)), np.ones(8)
    with somd.use(target="multicore"):
        assert add_to(a, b) is a
        assert add_to(a, a) is a
        assert isinstance(scaled(a, 2.0), np.ndarray)
    assert np.array_equal(np.asarray(a), (np.arange(8.0) + 1) * 2)


def test_what_an_array_on_a_device_cannot_be() -> None:
    with pytest.raises(TypeError, match="no place"):
        somd.to_device(np.array(["text"]))
    with pytest.raises(SomdCompileError, match="SOMD404"):
        total(somd.to_device(np.array(1.0)))


@somd.somd
def ends_joined(a: dist[np.ndarray], step: int) -> float:
    first = a[0]
    a[-1] = first + a[step]
    a[0] += 2.0
    for i in range(len(a)):
        a[i] = a[i] * 2.0
    a[1] = 7.0
    return a[-1]


def test_single_elements_of_a_small_array_come_with_it() -> None:
    host = np.arange(7.0)
    a = somd.to_device(host)
    assert ends_joined(a, 3) == ends_joined.sequential(host, 3)
    assert np.array_equal(np.asarray(a), host)


@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
def test_single_elements_outside_loops_move_alone(dtype: type) -> None:
    host = np.arange(100_000).astype(dtype)
    a = somd.to_device(host)
    with count_transfers() as seen:
        found = ends_joined(a, -2)
    assert found == ends_joined.sequential(host, -2)
    assert np.array_equal(np.asarray(a), host)
    assert seen.uploaded_bytes + seen.downloaded_bytes <= 7 * host.itemsize
    with pytest.raises(IndexError, match=r"`a\[step\]` is out of bounds"):
        ends_joined(a, 100_000)


@somd.somd
def running(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] += 1.0
    with single:
        for i in range(1, len(b)):
            b[i] = b[i - 1] + a[i]


def test_many_elements_bring_the_array() -> None:
    a, b = somd.to_device(np.arange(40_000.0)), somd.to_device(np.zeros(40_000))
    with count_transfers() as seen:
        running(a, b)
    expected = np.concatenate([[0.0], np.cumsum(np.arange(2.0, 40_001.0))])
    assert np.array_equal(np.asarray(b), expected)
    assert seen.downloads + seen.uploads < 16


@somd.somd
def add_rows(
    row: Annotated[np.ndarray, dist, partition(ByKey)], value: Annotated[np.ndarray, dist, like("row")], y: np.ndarray
) -> None:
    for k in range(len(row)):
        y[row[k]] += value[k]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32])
@pytest.mark.parametrize("count", [2, 3, 50, 3000])
@pytest.mark.usual(3)
def test_sorted_keys_are_cut_on_the_device(dtype: type, count: int) -> None:
    generator = np.random.default_rng(count)
    for keys in (3, count, 100):
        row = np.sort(generator.integers(0, min(keys, 100), count)).astype(dtype)
        value, y = generator.uniform(-1, 1, count), np.ones(100)
        expected = y.copy()
        add_rows.sequential(row, value, expected)
        on_device = [somd.to_device(a) for a in (row, value, y)]
        with count_transfers() as seen:
            add_rows(*on_device)
        assert np.array_equal(np.asarray(on_device[2]), expected)
        # Whether the keys are sorted; on a GPU also how many there are.
        assert seen.uploads == 0 and seen.downloaded_bytes <= 12


def test_keys_in_another_order() -> None:
    y = np.zeros(6)
    for row in (np.array([4, 4, 1, 1, 1, 0]), np.array([2]), np.array([], int)):
        found, expected = somd.to_device(y), y.copy()
        add_rows(somd.to_device(row), np.ones(len(row)), found)
        add_rows.sequential(row, np.ones(len(row)), expected)
        assert np.array_equal(np.asarray(found), expected)
    with pytest.raises(ValueError, match="must not be negative"):
        add_rows(somd.to_device(np.array([-1, 0, 2])), np.ones(3), somd.to_device(y))
    with pytest.raises(ValueError, match="key 1"):
        add_rows(somd.to_device(np.array([1, 0, 1])), np.ones(3), somd.to_device(y))
