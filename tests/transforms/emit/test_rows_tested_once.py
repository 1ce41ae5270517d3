"""Rows that an index chooses: one test a row, the results and errors of plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from somd import dist, somd, use
from somd.transforms.emit import rows_tested_once
from somd.transforms.emit.rows_tested_once import Once


def rows(a, k):
    return a[k]


def scaled(a, k):
    return a[k] * 2.0 + a[0]


def from_before(a: dist, k, b: dist):
    for i in range(len(k)):
        for j in range(a.shape[1]):
            b[i, j] = a[k[i] - 1, j]


def of_two(a, k, c):
    return a[k] - c[k]


METHODS = [somd(each) for each in (rows, scaled, from_before, of_two)]
#: what is tested in each trip: a column of `c` may be none
IN_EACH_TRIP = ("of_two",)


def outcome(method: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, ...]:
    given = tuple(each.copy() if isinstance(each, np.ndarray) else each for each in given)
    try:
        result = method(*given)
    except IndexError as error:
        return (str(error),)
    return tuple(each.tobytes() for each in (result, *given) if isinstance(each, np.ndarray))


def cases() -> list[tuple[np.ndarray, np.ndarray]]:
    r = np.random.default_rng(0)
    found = []
    for m, n, low, high in ((9, 5, 0, 9), (9, 5, -9, 9), (4, 3, 0, 6), (4, 3, -6, 4), (7, 1, 0, 7), (6, 4, 5, 6)):
        found.append((r.random((m, n)), r.integers(low, high, 8)))
    found.append((np.asfortranarray(found[0][0]), found[1][1].astype(np.int32)))
    found.append((found[0][0][::-1, ::2], found[0][1][:0]))
    return found


def told(method: Any) -> list[tuple[Any, ...]]:
    found = []
    for a, k in cases():
        others = {"from_before": (np.zeros((len(k), a.shape[1])),), "of_two": (a[::-1] * 3.0,)}
        given = (a, k, *others.get(method.__name__, ()))
        wanted = outcome(method.sequential, given)
        for workers in (1, 3):
            with use(workers=workers, small_work=0, target="multicore"):
                found.append((outcome(method, given), wanted))
    return found


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.__name__)
def test_as_plain_python(method: Any) -> None:
    for mine, wanted in told(method):
        assert (len(mine) == 1 and len(wanted) == 1 and " out of bounds" in mine[0]) or mine == wanted
    lines = method.source("multicore").splitlines()
    tests = [lines[at + 2] for at, line in enumerate(lines) if line.lstrip() == "if 0 < a.shape[1]:"]
    assert (len(tests) == 1 and " = wrapped(" in tests[0]) is (method.__name__ not in IN_EACH_TRIP)


def test_the_first_trip_is_the_one_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the tests in front of a loop without trips, rows without elements would be tested."""
    lines = Once.lines

    def always(self: Once, *given: Any) -> list[str]:
        made = lines(self, *given)
        return ["if True:", *made[1:]]

    given = (np.ones((2, 0)), np.array([7, 8]), np.zeros((2, 0)))
    with use(target="multicore", small_work=0):
        assert METHODS[2](*given) is from_before(*given) is None
        monkeypatch.setattr(rows_tested_once.Once, "lines", always)
        with pytest.raises(IndexError):
            METHODS[2].twin()(*(each.astype(np.float32) if each.dtype == float else each for each in given))
