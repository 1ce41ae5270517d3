"""Rows that follow on each other, what is added along them shared out in groups: plain Python's bits and faults."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device, watch_launches, workgroups
from somd.runtime.opencl.several import parts
from tests.devices import has_few
from tests.differential import harness
from tests.language.test_long_rows import bits
from tests.language.test_long_rows import matrix as hostile_rows
from tests.several import KINDS, several
from tests.transforms.opencl.test_packed import numbers

A = dist[np.ndarray]


@somd.somd
def compressed(start: np.ndarray, column: np.ndarray, value: np.ndarray, x: np.ndarray, y: A) -> None:
    for i in range(len(y)):
        found = 0.0
        for k in range(start[i], start[i + 1]):
            found += value[k] * x[column[k]]
        y[i] = found


@somd.somd
def singles(start: np.ndarray, value: np.ndarray, y: A) -> None:
    for i in range(1, len(y)):
        s = y[i]
        for k in range(start[i - 1], start[i]):
            s -= value[k] * value[k]
        y[i] = s


@somd.somd
def between(low: np.ndarray, high: np.ndarray, value: np.ndarray, y: A) -> None:
    """Rows that nobody says to follow on each other."""
    for i in range(len(y)):
        found = y[i]
        for k in range(low[i], high[i]):
            found *= np.sqrt(value[k])
        y[i] = found


def rows(n: int, longest: int, seed: int = 0) -> np.ndarray:
    """Where rows begin, some of them empty and one long."""
    lengths = np.random.default_rng(seed).integers(0, longest, n)
    lengths[n // 3] = 10 * longest
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def matrix(n: int, longest: int) -> tuple[Any, ...]:
    start = rows(n, longest)
    column = np.random.default_rng(1).integers(0, n, start[-1])
    return start, column.astype(np.int32), numbers(max(1, start[-1]))[: start[-1]], numbers(n), np.ones(n)


def apart(n: int, longest: int) -> tuple[Any, ...]:
    """Every other row begins where that before it has ended."""
    start = rows(n, longest)
    low, high = start[:-1].astype(np.int64), start[1:].astype(np.int64)
    low[n // 2 :: 2] = 3
    return low, high, np.abs(numbers(start[-1])), np.ones(n)


@dataclass(frozen=True)
class Case:
    method: Any
    arguments: Callable[[int, int], tuple[Any, ...]]


def of_singles(n: int, longest: int) -> tuple[Any, ...]:
    start = rows(n, longest)
    return start, numbers(start[-1], dtype=np.float32), np.arange(n).astype(np.float32) % 5


CASES = (Case(compressed, matrix), Case(singles, of_singles), Case(between, apart))


@pytest.fixture
def by_groups(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups share what they load."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    return quick_device


def on(device: Device) -> Any:
    return somd.use(target="opencl", device=f"{device.info.platform}:{device.index}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.method.__name__)
def test_the_bits_are_those_of_plain_python(by_groups: Device, case: Case) -> None:
    if has_few(by_groups) and case is not CASES[0]:
        pytest.skip("the kernels are those of another device, where they run")
    with on(by_groups), watch_launches() as seen:
        for size in ((5, 4), (300, 40)):
            harness.check(case.method, case.arguments(*size), "opencl", workers=(1,))
    assert {name for name, _ in seen} == {f"{case.method.__name__}_1_terms"}


@somd.somd
def long_rows(start: np.ndarray, begin: A, value: np.ndarray, y: A) -> None:
    for i in range(len(y)):
        s = begin[i]
        for k in range(start[i], start[i + 1]):
            s -= value[k]
        y[i] = s


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.usual(3)
def test_a_group_adds_up_a_long_row_in_its_order(by_groups: Device, dtype: Any) -> None:
    if has_few(by_groups) and dtype is np.float32:
        pytest.skip("PoCL takes ten seconds to compile it")
    start, begin, value, _ = hostile_rows(dtype)
    found, wanted = (np.zeros(len(begin), dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        long_rows.sequential(start, begin, value, wanted)
    with on(by_groups), watch_launches() as seen:
        long_rows(start, begin, value, found)
    assert np.array_equal(bits(found), bits(wanted)), np.flatnonzero(bits(found) != bits(wanted))
    assert {name for name, _ in seen} == {"long_rows_1_terms"}


def with_long_ones() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, some of them long and neighbours, what their sums begin with, and the terms of all."""
    draw = np.random.default_rng(3)
    lengths = draw.integers(0, 9, 700)
    lengths[[5, 6, 300, 301, 302, 698]] = 20000, 17001, 16384, 30000, 16383, 5000
    start = np.concatenate([[0], np.cumsum(lengths)])
    return start, draw.random(700), draw.random(start[-1])


@pytest.mark.parametrize("order", ["follow", "lie anywhere", "go out"])
def test_long_rows_are_taken_by_groups_in_turns(by_groups: Device, order: str) -> None:
    start, begin, value = with_long_ones()
    if order == "lie anywhere":
        start[[4, 200, 302, 500]] = start[300], -7, 0, start[3]
    found, wanted = np.zeros(700), np.zeros(700)
    if order == "go out":
        value = value[: start[301] + 9000]
        with on(by_groups):
            fails_alike(long_rows, start, begin, value, found)
        return
    long_rows.sequential(start, begin, value, wanted)
    with on(by_groups), watch_launches() as seen:
        long_rows(start, begin, value, found)
    assert np.array_equal(found, wanted), np.flatnonzero(found != wanted)
    assert {name for name, _ in seen} == {"long_rows_1_terms"}


def test_groups_of_two_devices_take_rows_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    monkeypatch.setattr(parts, "FEW", 0)
    start, begin, value = with_long_ones()
    found, wanted = np.zeros(700), np.zeros(700)
    long_rows.sequential(start, begin, value, wanted)
    with somd.use(target="opencl", device=several(KINDS[::-1], 2, monkeypatch)), watch_launches() as seen:
        long_rows(start, begin, value, found)
    assert np.array_equal(found, wanted), np.flatnonzero(found != wanted)
    assert [name for name, _ in seen] == ["long_rows_1_terms"] * 2


@pytest.mark.parametrize(("count", "rows"), [(0, 1), (5, 1), (529, 2), (135_168, 256), (10**7, 256)])
def test_few_rows_fill_the_device(count: int, rows: int) -> None:
    assert workgroups.group_rows(132, count, 256) == rows


def test_rows_in_disorder_and_indexes_from_the_end(by_groups: Device) -> None:
    start, column, value, x, y = matrix(300, 9)
    start[7], start[40] = start[9], 2
    column[::50] -= 300
    with on(by_groups):
        harness.check(compressed, (start, column, value, x, y), "opencl", workers=(1,))


@pytest.mark.parametrize("wrong", [{600: 300}, {601: -301, 600: 300}, {20: 999, 1000: 301}])
def test_the_first_index_outside_is_told(by_groups: Device, wrong: dict[int, int]) -> None:
    start, column, value, x, y = matrix(300, 9)
    for place, index in wrong.items():
        column[place] = index
    first = wrong[min(wrong)]
    with on(by_groups), pytest.raises(IndexError, match=rf"index {first} of `x\[column\[k\]\]` is out of bounds"):
        compressed(start, column, value, x, y)
    assert (y == 1).all()


@somd.somd
def behind_a_test(start: np.ndarray, value: np.ndarray, y: A) -> None:
    for i in range(len(y)):
        s = np.float32(0)
        if len(y) < len(start):
            for k in range(start[i], start[i + 1]):
                s += value[k] * value[k]
        y[i] = s


def test_limits_are_read_where_the_test_in_front_of_the_loop_holds(by_groups: Device) -> None:
    if has_few(by_groups):
        pytest.skip("the kernels are those of another device, where they run")
    """Elsewhere they may lie outside of their array, and far outside."""
    start, value, y = of_singles(300, 9)
    with on(by_groups), watch_launches() as seen:
        harness.check(behind_a_test, (start, value, y), "opencl", workers=(1,))
        far = np.ones(8_000_000, np.float32)
        behind_a_test(start[:2], value, far)
    assert (far == 0).all() and {name for name, _ in seen} == {"behind_a_test_1_terms"}


#: where rows begin that have no end
FAR = ([0, 2, 2**62], [5, -(2**62), 2**62, 0], [0, 2**40, 3, 2**63 - 1], [1, 1, 2 - 2**63, 2**63 - 1])


def fails_alike(method: Any, *args: Any) -> None:
    """Both fail, at one index."""
    with pytest.raises(IndexError) as plain:
        method.sequential(*copy.deepcopy(args))
    [index] = re.findall(r"index (-?\d+) ", str(plain.value))
    with pytest.raises(IndexError, match=f"index {index} of "):
        method(*args)


@pytest.mark.parametrize("pointers", FAR, ids=str)
def test_rows_without_an_end_fail_at_once(by_groups: Device, pointers: list[int]) -> None:
    start, column, value, x, y = matrix(300, 9)
    start = np.concatenate([pointers, start[len(pointers) :]])
    with on(by_groups):
        fails_alike(compressed, start, column, value, x, y)


@somd.somd
def into(start: A, value: np.ndarray, y: A) -> None:
    """What is stored, and what is far from the limits of the loop."""
    for i in range(len(y)):
        for k in range(start[i], start[i + 1]):
            y[i] += value[k]
        s = y[i]
        for k in range(start[i], start[i + 1]):
            s += value[k] * value[4 * k]
        y[i] = s


@pytest.mark.parametrize("pointers", FAR, ids=str)
def test_loops_in_order_end_where_an_access_fails(any_device: Device, pointers: list[int]) -> None:
    with on(any_device):
        fails_alike(into, np.array(pointers), np.ones(7), np.zeros(len(pointers) - 1))


@somd.somd
def doubled(start: A, value: np.ndarray, y: A) -> None:
    for i in range(len(y)):
        s = 0.0
        for k in range(start[i], start[i + 1]):
            s += value[2 * k]
        y[i] = s


@pytest.mark.parametrize("first", [-(2**63), 2**62 - 1])
def test_an_index_that_wraps_is_inside_or_fails(by_groups: Device, first: int) -> None:
    """A compiler may take it for what it would be if it did not: negative, and so one from the end."""
    if has_few(by_groups):
        pytest.skip("PoCL takes ten seconds to compile it")
    value, y = np.arange(7.0), np.zeros(1)
    with on(by_groups), pytest.raises(IndexError, match=r"index (10|-?9223372036854775\d*) of "):
        doubled(np.array([first + 5, first + 9]), value, y)
