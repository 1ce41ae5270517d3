"""Rows that a work-group keeps in local memory, for loops that go along them several times: plain Python's bits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from somd.language.markers import dist
from somd.runtime.opencl import Device, watch_launches, workgroups
from somd.transforms.opencl import staged_row_kernels
from tests.transforms.opencl.running import check, code_of
from tests.transforms.opencl.test_packed import numbers

pytestmark = pytest.mark.usefixtures("one_at_a_time")


def softmax(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for r in range(x.shape[0]):
        largest = x[r, 0]
        for k in range(1, x.shape[1]):
            if x[r, k] > largest:
                largest = x[r, k]
        whole = 0.0
        for k in range(x.shape[1]):
            e = 1.0 / (1.5 + abs(x[r, k] - largest))
            y[r, k] = e
            whole += e
        for k in range(x.shape[1]):
            y[r, k] /= whole


def standard_scores(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for r in range(x.shape[0]):
        mean = 0.0
        for k in range(x.shape[1]):
            mean += x[r, k]
        mean /= x.shape[1]
        whole = 0.0
        for k in range(2, x.shape[1]):
            d = x[r, k] - mean
            whole += d * d
        scale = np.sqrt(whole / x.shape[1])
        for k in range(x.shape[1] - 1):
            y[r, k] = (x[r, k] - mean) / scale


def terms(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    """Values that no array keeps, two of them, one under a condition."""
    for r in range(x.shape[0]):
        one = 0.0
        two = 1.0
        for k in range(x.shape[1]):
            t = x[r, k] / (1.5 + abs(x[r, k]))
            if x[r, k] > 0.25:
                one += t
            two = two * 0.5 + np.sqrt(abs(t))
        for k in range(x.shape[1]):
            y[r, k] = x[r, k] * one - two


def scans(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    """Elements that another trip reads, and a row that is changed in place."""
    for r in range(x.shape[0]):
        for k in range(1, x.shape[1]):
            x[r, k] = x[r, k - 1] * 0.5 + x[r, k]
        total = 0.0
        for k in range(x.shape[1]):
            total += x[r, k] * y[r, k]
            y[r, k] = total
        for k in range(x.shape[1]):
            x[r, k] = x[r, k] / (abs(total) + 1.0)


def stored_again(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    """What a trip stores, reads and stores again."""
    for r in range(x.shape[0]):
        total = 0.0
        for k in range(x.shape[1]):
            y[r, k] = y[r, k] / 1.5
            total += y[r, k] / 1.5
            y[r, k] = y[r, k] - x[r, k]
        for k in range(x.shape[1] - 1):
            y[r, k] -= total


def of_all_rows(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    """A row that all rows read, and elements that only some trips read."""
    for r in range(x.shape[0]):
        total = 0.0
        for k in range(x.shape[1]):
            if k < y.shape[1]:
                total += y[r, k]
            total += x[0, k] * x[r, k]
        for k in range(x.shape[1]):
            y[r, k] = (x[r, k] - total) * x[0, k]


METHODS = (softmax, standard_scores, terms, scans, stored_again, of_all_rows)


@pytest.fixture
def with_rows(any_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups keep rows in local memory."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    return any_device


@pytest.mark.parametrize("method", METHODS)
def test_the_bits_are_those_of_plain_python(method: object, with_rows: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = numbers(9, 40) - 1.5
    odd[0, 5], odd[1], odd[2], odd[3, ::7] = np.nan, -0.0, np.where(np.arange(40) % 2, 0.0, -0.0), 0.0
    odd[4, 3], odd[5], odd[7, 39], odd[8, :2] = np.inf, np.inf, np.nan, (-0.0, 0.0)
    several = itertools.cycle((8, 1, 2))
    monkeypatch.setattr(workgroups, "group_rows", lambda units, count, most: next(several))
    with watch_launches() as seen:
        for given in (odd, numbers(37, 67), numbers(3, 33), numbers(1, 129), numbers(2, 20), numbers(0, 40)):
            check(method, with_rows, given.copy(), numbers(len(given) + 1, given.shape[1]))  # type: ignore[arg-type]
    assert [name.endswith("_staged") for name, _ in seen] == [True] * 4 + [False]  # rows of 20 are short


def test_rows_that_have_no_room_stay_where_they_are(with_rows: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workgroups, "OF_ROWS_FOUND", with_rows.info.local_memory)
    with watch_launches() as seen:
        check(softmax, with_rows, numbers(17, 40), numbers(17, 40))
    assert [name for name, _ in seen] == ["softmax_1_walked"]


def test_where_rows_lie() -> None:
    """One takes the place of another that is not asked for any more; what is cheap has none."""
    x = np.ones((4, 40))
    hosts = {method: code_of(method, x, x.copy()).host for method in METHODS}
    places = {
        method: host.partition("room_for_rows(")[2].partition(", 32, ")[2].split("\n")[0]
        for method, host in hosts.items()
    }
    assert places[softmax] == "((8, x.shape[1], y.shape[1]),))"
    assert places[standard_scores] == "((8, x.shape[1]),))"
    assert places[terms].count("(8, ") == 3
    assert places[scans] == "((8, x.shape[1]), (8, y.shape[1])))"


def few(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for r in range(x.shape[0]):
        total = 0.0
        for k in range(x.shape[1]):
            total += x[r, k]
        y[r, 0] = total


def of_others(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for r in range(x.shape[0]):
        total = 0.0
        for k in range(x.shape[1]):
            total += x[k, r]
        for k in range(x.shape[1]):
            total += x[k, r] / 2.0
        y[r, 0] = total


def left(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for r in range(x.shape[0]):
        total = 0.0
        for k in range(x.shape[1]):
            total += x[r, k]
        for k in range(x.shape[1]):
            if x[r, k] > total:
                break
            y[r, k] = total


@pytest.mark.parametrize("method", [few, of_others, left])
def test_what_keeps_no_rows(method: object) -> None:
    code = code_of(method, np.ones((4, 40)), np.ones((4, 40)))  # type: ignore[arg-type]
    assert not any("_staged" in name for name in code.kernel_names)


def test_one_array_given_twice_keeps_no_rows() -> None:
    x = np.ones((4, 40))
    assert "softmax_1_staged" in code_of(softmax, x, x.copy()).kernel_names
    assert "softmax_1_staged" not in code_of(softmax, x, x).kernel_names


def test_a_row_takes_an_odd_number_of_words() -> None:
    """So that the rows of a group lie in all banks of memory."""
    assert workgroups.bytes_of_row(((4, 4096, 4), (8, 3))) == 16 * 1025 + 16 * 3
    assert workgroups.WORD == staged_row_kernels.WORD
