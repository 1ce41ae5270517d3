"""An access outside its array raises IndexError that names the line, on every target and for any number of workers.

Affine accesses are checked before their phase, so the arguments are then as they were; an index that comes from data is
tested where it happens, and the lowest failing iteration is the one that is named.
"""

from __future__ import annotations

import re
from typing import Annotated

import numpy as np
import pytest

import somd
from somd import dist, reduce
from tests.differential import harness

A = dist[np.ndarray]


@somd.somd
def vector_add(a: A, b: A) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]  # line of vector_add
    return c


@somd.somd
def difference(a: A, out: A) -> None:
    for i in range(len(a)):
        out[i] = a[i + 1] - a[i]  # line of difference


@somd.somd
def shifted(a: A, out: A, k: int) -> None:
    for i in range(len(out)):
        if i > 2:
            out[i] = a[i - k]  # line of shifted


@somd.somd
def gather(x: A, index: A, out: A) -> None:
    for i in range(len(index)):
        out[i] = x[index[i]]  # line of gather


@somd.somd
def put_one(a: A, k: int) -> None:
    for i in range(len(a)):
        a[i] = 1.0
    a[k] = 2.0  # line of put_one


@somd.somd
def allocated_after(data: A, out: A, m: int) -> np.ndarray:
    for j in range(len(out)):
        out[j] = data[j + m]  # line of allocated_after
    table = np.zeros(m)
    for i in range(m):
        table[i] = out[i]
    return table


@somd.somd
def beside(a: A, mask: A, places: A, k: int) -> A:
    if k > 2:
        a[::2, mask[:3]] = 1.0
        a[mask, k] += 2.0
    if k < 2:
        a[places, k] = 0.5
    a[mask, k] = a[0, 1]
    return a[mask, k], a[places, k]


def line_of(name: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(k for k, text in enumerate(file, 1) if text.rstrip().endswith(f"# line of {name}"))


@pytest.fixture(params=harness.TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    reason = harness.unavailable(request.param)
    if reason is not None:
        pytest.skip(reason)
    return str(request.param)


def raised(method, args, target, workers) -> str:  # type: ignore[no-untyped-def]
    with somd.use(target=target, workers=workers), pytest.raises(IndexError) as caught:
        method(*args)
    assert re.search(rf"test_index_errors\.py, line {line_of(method.__name__)}\)", str(caught.value)), caught.value
    return str(caught.value)


@pytest.mark.parametrize("workers", [1, 3, 50])
@pytest.mark.usual(3)
def test_affine_violations_harm_nothing(target: str, workers: int) -> None:
    raised(vector_add, (np.ones(1000), np.ones(900)), target, workers)
    a, out = np.arange(9.0), np.full(9, 7.0)
    raised(difference, (a, out), target, workers)
    assert (a == np.arange(9.0)).all()
    assert (out == 7.0).all()
    for k in (4 - 9 - 9, 20, -2):
        raised(shifted, (np.ones(9), out, k), target, workers)
        assert (out == 7.0).all()


def test_what_python_allows_is_allowed(target: str) -> None:
    for k in (0, 3, 9, 12, -1):
        args = (harness.duplicate((np.arange(12.0),))[0], np.zeros(11), k)
        harness.check(shifted, args, target)
    with somd.use(target=target):
        vector_add(np.ones(0), np.ones(5))
        vector_add(np.ones(5), np.ones(9))


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_the_lowest_failing_iteration_is_named(target: str, workers: int) -> None:
    index = np.arange(200) % 10
    index[[90, 150]] = 77, -88
    text = raised(gather, (np.arange(10.0), index, np.zeros(200)), target, workers)
    assert "index 77 of `x[index[i]]`" in text
    index[90] = -11
    assert "index -11" in raised(gather, (np.arange(10.0), index, np.zeros(200)), target, workers)


def test_the_runtime_stays_usable(target: str) -> None:
    raised(gather, (np.arange(10.0), np.array([10]), np.zeros(1)), target, 2)
    harness.check(gather, (np.arange(10.0), np.array([9, -10, 0]), np.zeros(3)), target)


def test_serial_code(target: str) -> None:
    assert "index 4 of `a[k]`" in raised(put_one, (np.zeros(4), 4), target, 2)
    assert "index -5 of `a[k]`" in raised(put_one, (np.zeros(4), -5), target, 2)
    harness.check(put_one, (np.zeros(4), -4), target)


@pytest.mark.usual(2)
def test_what_an_allocation_tells_does_not_hold_before_it(target: str) -> None:
    # -3 counts from the end before `np.zeros(m)` refuses it
    data, out = np.arange(9.0), np.zeros(6)
    for workers in harness.WORKERS:
        with somd.use(target=target, workers=workers):
            with pytest.raises(ValueError):
                allocated_after(data, out, -3)
            assert target == "opencl" or (out == [6.0, 7.0, 8.0, 0.0, 1.0, 2.0]).all()
            with pytest.raises(IndexError, match=f"line {line_of('allocated_after')}"):
                allocated_after(data, out, 4)


@somd.somd
def until_five(x: A, index: A, out: A) -> None:
    for i in range(len(out)):
        j = i
        while x[index[j]] != 5.0:
            j += 1
        out[i] = j


@somd.somd
def steps_to_five(x: A, index: A) -> Annotated[int, reduce("+")]:
    total = 0
    for i in range(len(x)):
        j = i
        while j < 5 or x[index[j]] != 5.0:
            j += 1 if j >= 0 else 0
        total += j
    return total


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_a_loop_ends_with_its_fault(target: str) -> None:
    if harness.unavailable(target):
        pytest.skip(str(harness.unavailable(target)))
    index = np.arange(10)
    for workers in (1, 3):
        with somd.use(target=target, workers=workers, small_work=0):
            with pytest.raises(IndexError, match="index 10 of `index"):
                until_five(np.ones(10), index, np.zeros(4))
            with pytest.raises(IndexError, match="index 10 of `index"):
                steps_to_five(np.ones(10), index)
    harness.check(until_five, (np.arange(10.0), index, np.zeros(4)), target, workers=(1, 3))
    harness.check(steps_to_five, (np.array([5.0] * 9), index[:9]), target, workers=(1, 3))


@somd.somd
def where_it_may_stand(x: A, index: A, out: A) -> None:
    for i in range(len(index)):
        k = index[i]
        out[i, 0] = x[k] if k < len(x) else -1.0
        out[i, 1] = -1.0 if k >= len(x) else x[k]
        out[i, 2] = 1.0 if k < len(x) and x[k] > 0.5 else 2.0
        out[i, 3] = 1.0 if k >= len(x) or x[k] > 0.5 else 2.0
        out[i, 4] = 1.0 if 0 <= k < len(x) != x[k] else 2.0
        if k >= len(x):
            out[i, 5] = -1.0
        elif x[k] > 0.5:
            out[i, 5] = x[k]
        while k < len(x) and x[k] > 0.5:
            k += 1
        out[i, 6] = k


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_an_access_that_a_condition_keeps_from_happening_does_not_fail(target: str) -> None:
    if harness.unavailable(target):
        pytest.skip(str(harness.unavailable(target)))
    index = np.array([0, 1, 3, 5, 2, 4, 10**12])
    harness.check(where_it_may_stand, (np.array([0.2, 0.7, 0.9]), index, np.zeros((7, 7))), target, workers=(1, 3))


@pytest.mark.parametrize("k", [-4, -3, 2, 3, 7])
@pytest.mark.usual(3)
def test_integers_are_tested_where_masks_and_indexes_choose_nothing(target: str, k: int) -> None:
    for many in (0, 2):
        args = np.ones((4, 3)), np.arange(4) < many, np.arange(many), k
        harness.check(beside, args, target, workers=(1, 3))
