"""Names without a place in memory, and what is raised through several calls: what plain Python gives, and no reference
too many or too few."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from somd.runtime.multicore.compilation import master
from somd.runtime.multicore.numba_internals.native import native


@master
def handed_back(a: Any, b: Any, n: int) -> Any:
    """An argument that is returned, one that is assigned again, and names that are assigned in one branch alone."""
    kept = b
    for i in range(n):
        if a[i] > 2.0:
            found = a[i] * 2.0
            b = b[1:]
        last = a[i] + b[0]
        for j in range(i):
            kept[j] += last
    if n > 3:
        kept[0] += found
    return a if n > 2 else kept


@pytest.mark.parametrize("n", [0, 2, 3, 5])
def test_arguments_are_the_callers_and_names_are_those_of_python(n: int) -> None:
    a, b, expected = np.arange(6.0), np.arange(9.0), np.arange(9.0)
    handed_back(a, b, n)
    before = sys.getrefcount(a), sys.getrefcount(b)
    b[:] = expected
    result = handed_back(a, b, n)
    plain: Any = handed_back
    np.testing.assert_array_equal(result, plain.py_func(np.arange(6.0), expected, n))
    np.testing.assert_array_equal(b, expected)
    del result
    assert (sys.getrefcount(a), sys.getrefcount(b)) == before


@native
def summed(a: Any, limit: float) -> float:
    made = np.zeros(3)
    for i in range(len(a)):
        if a[i] > limit:
            raise IndexError(7, i)
        made[i % 3] += a[i]
    return float(made[0] + made[1])


@native
def once_more(a: Any, limit: float) -> float:
    return summed(a, limit) + summed(a[1:], limit)


@native
def without_raising(a: Any, limit: float) -> float:
    found = 1.0
    try:
        found = once_more(a, limit)
    except Exception:
        found = -found
    return found


def through(function: Callable[[Any, float], float]) -> Any:
    @master
    def run(a: Any, limit: float, turns: int) -> float:
        total = 0.0
        for _ in range(turns):
            total += function(a, limit)
        return total

    made: Any = run
    made._cache.disable()
    return made


def test_what_is_raised_comes_through_all_calls() -> None:
    run = through(once_more)
    for _ in range(2):
        assert run(np.ones(6), 2.0, 3) == 3 * (4.0 + 4.0)
        with pytest.raises(IndexError) as raised:
            run(np.arange(6.0), 2.0, 3)
        assert raised.value.args == (7, 3)


def test_what_is_caught_goes_no_further() -> None:
    run = through(without_raising)
    assert run(np.ones(6), 2.0, 2) == 16.0
    assert run(np.arange(6.0), 2.0, 3) == -3.0
