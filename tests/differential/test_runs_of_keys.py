"""Updates of elements that keys name, one key a part, by work-groups: the bits of plain Python, and its first error."""

from __future__ import annotations

import re
from typing import Annotated

import numpy as np
import pytest

import somd
from somd import ByKey, dist, like, partition
from tests.devices import has_few
from tests.differential import harness

pytest.importorskip("pyopencl")

from somd.runtime.opencl import cutting, watch_launches
from somd.runtime.opencl.devices import select
from somd.runtime.opencl.failures import NoDevice

Keys = Annotated[np.ndarray, dist, partition(ByKey)]
Beside = Annotated[np.ndarray, dist, like("row")]


@somd.somd
def sparse(y: np.ndarray, value: Beside, row: Keys, column: Beside, x: np.ndarray, times: int) -> None:
    for _ in range(times):
        for k in range(len(value)):
            y[row[k]] += x[column[k]] * value[k]


@somd.somd
def product(y: np.ndarray, value: Beside, row: Keys) -> None:
    for k in range(len(row)):
        y[row[k]] *= value[k] + 1


@pytest.fixture(params=["intel", "pocl", "oclgrind"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A device that takes runs of keys."""
    try:
        select(request.param)
    except NoDevice as error:
        pytest.skip(str(error))
    monkeypatch.setattr(cutting, "KINDS_WITH_RUNS", ("cpu", "simulator"))
    return str(request.param)


def matrix(rows: int, longest: int, dtype: type, ordered: bool = False) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(rows)
    row = np.repeat(np.arange(rows) if ordered else random.permutation(rows), random.integers(0, longest + 1, rows))
    return random.random(len(row)), row.astype(dtype), random.integers(-9, 9, len(row)), random.random(9)


@pytest.mark.parametrize(("rows", "longest", "dtype"), [(300, 6, np.int32), (1, 40, np.int64), (9, 900, np.uint8)])
@pytest.mark.usual(3)
def test_the_bits_are_those_of_plain_python(device: str, rows: int, longest: int, dtype: type) -> None:
    if device == "oclgrind":
        rows, longest = min(rows, 40), min(longest, 20)
    if has_few(select(device)):
        dtype = np.int32
    value, row, column, x = matrix(rows, longest, dtype, ordered=True)
    y = np.random.default_rng(0).random(rows)
    with somd.use(device=device), watch_launches() as seen:
        harness.check(sparse, (y, value, row, column, x, 2), "opencl", workers=(1,))
        harness.check(product, (y.astype(np.float32), value, row), "opencl", workers=(1,))
    assert [name for name, _ in seen] == ["sparse_1_runs", "sparse_1_runs", "product_1_runs"]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32])
@pytest.mark.usual(3)
def test_keys_on_the_device_are_listed_there(device: str, dtype: type) -> None:
    for count in (2, 300, 2048, 5000):
        value, row = np.random.default_rng(count).random(count), np.sort(np.arange(count) % 90).astype(dtype)
        expected = np.ones(100)
        product.sequential(expected, value, row)
        with somd.use(target="opencl", device=device), watch_launches() as seen:
            arrays = [somd.to_device(a, device) for a in (np.ones(100), value, row)]
            product(*arrays)
        assert np.array_equal(np.asarray(arrays[0]), expected)
        assert [name for name, _ in seen][-1] == "product_1_runs"
        if device == "oclgrind":
            break


def test_keys_that_need_more_than_32_bits_go_the_usual_way(device: str) -> None:
    row = np.array([0, 1, 1 << 40])
    for given in (row, somd.to_device(row, device)):
        with somd.use(target="opencl", device=device), pytest.raises(IndexError, match="y"):
            product(np.ones(2) if given is row else somd.to_device(np.ones(2), device), np.ones(3), given)


def test_keys_out_of_order_go_the_usual_way(device: str) -> None:
    value, row, column, x = matrix(50, 6, np.int64)
    for given in (row, somd.to_device(row, device)):
        y = np.zeros(50)
        expected = y.copy()
        sparse.sequential(expected, value, row, column, x, 1)
        with somd.use(target="opencl", device=device), watch_launches() as seen:
            found = y if given is row else somd.to_device(y, device)
            sparse(found, value, given, column, x, 1)
        assert np.array_equal(np.asarray(found), expected)
        assert [name for name, _ in seen][-1] == "sparse_1"
    with somd.use(target="opencl", device=device), pytest.raises(ValueError, match="key 1"):
        sparse(np.zeros(50), np.ones(3), np.array([1, 0, 1]), np.zeros(3, int), x, 1)


@pytest.mark.parametrize(("key", "column"), [(30, 70), (70, 30), (50, 50)])
def test_the_first_fault_is_told(device: str, key: int, column: int) -> None:
    """A key outside `y` and a column outside `x`: either one first, or both at once."""
    row, columns = np.arange(300) // 3, np.zeros(300, np.int64)
    row[3 * key : 3 * key + 3] = 5000
    columns[[3 * column, 250]] = 77, 99
    y, value, x = np.zeros(100), np.ones(300), np.ones(10)
    wanted = "index 5000 of `y[row[k]]`" if key <= column else "index 77 of `x[column[k]]`"
    error = pytest.raises(IndexError, match=re.escape(wanted))
    with somd.use(target="opencl", device=device), error:
        sparse(y, value, row, columns, x, 2)
    assert not y.any()
