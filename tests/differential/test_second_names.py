"""One array under two names: two views of the same memory, or two device arrays on one buffer, on every target."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from tests.differential import harness

A = dist[np.ndarray]


@somd.somd
def written_between_phases(a: A, c: A) -> np.ndarray:
    for i in range(len(a)):
        c[i] = a[i] * 2
    a[0] = 100.0
    for i in range(len(a)):
        c[i] = c[i] + a[i]
    return c


@somd.somd
def written_through_the_second(a: A, c: A) -> np.ndarray:
    for i in range(len(a)):
        c[i] = a[i] * 2
    c[0] = 100.0
    for i in range(len(a)):
        a[i] = a[i] + 1
    c[1] = a[0]
    return a


@somd.somd
def read_after_a_sum(a: A, c: A) -> tuple:
    total = 0.0
    c[2] = 5.0
    for i in range(len(a)):
        total += a[i]
    a[1] = total
    for i in range(len(a)):
        c[i] = a[i] + total
    return c, a, total


METHODS = (written_between_phases, written_through_the_second, read_after_a_sum)


def read_only_first(n: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(float(n))
    view = x[:]
    view.flags.writeable = False
    return view, x


PAIRS: dict[str, Callable[[int], tuple[np.ndarray, np.ndarray]]] = {
    "whole slice": lambda n: (x := np.arange(float(n)), x[:]),
    "itself": lambda n: (x := np.arange(float(n)), x),
    "every second": lambda n: ((x := np.arange(2.0 * n))[::2], x[::2]),
    "backwards": lambda n: ((x := np.arange(float(n)))[::-1], x[::-1]),
}


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("n", [5, 5000])
@pytest.mark.usual(3)
def test_views(target: str, pair: str, n: int) -> None:
    if reason := harness.unavailable(target):
        pytest.skip(reason)
    for method in METHODS:
        _check(method, PAIRS[pair](n), PAIRS[pair](n), target)


@pytest.mark.parametrize("target", harness.TARGETS)
def test_one_of_them_read_only(target: str) -> None:
    """What only the other name writes is no error."""
    if reason := harness.unavailable(target):
        pytest.skip(reason)
    _check(written_only, read_only_first(9), read_only_first(9), target)


@somd.somd
def written_only(a: A, c: A) -> np.ndarray:
    for i in range(len(a)):
        c[i] = a[i] * 2
    return a


def _check(method: Any, expected: tuple[Any, ...], found: tuple[Any, ...], target: str) -> None:
    wanted = method.sequential(*expected)
    with somd.use(target=target, workers=3), warnings.catch_warnings():
        warnings.simplefilter("error", somd.SomdFallbackWarning)
        result = method(*found)
    for mine, theirs in zip(found, expected, strict=True):
        harness.assert_same(mine, theirs, 0.0, "argument")
    harness.assert_same(result, wanted, 0.0, "result")
    results = (result, wanted) if isinstance(result, tuple) else ((result,), (wanted,))
    for mine, theirs in zip(*results, strict=True):
        assert [mine is each for each in found] == [theirs is each for each in expected]


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("n", [5, 5000])
def test_two_handles_of_a_buffer(target: str, n: int) -> None:
    if reason := harness.unavailable("opencl"):
        pytest.skip(reason)
    for method in METHODS:
        for handles in (lambda d: (d, d), lambda d: (d, d.array), lambda d: (d.array, d.array.view())):
            x = np.arange(float(n))
            wanted = method.sequential(x, x)
            on_device = somd.to_device(np.arange(float(n)))
            with somd.use(target=target, workers=3):
                result = method(*handles(on_device))
            harness.assert_same(on_device.to_host(), x, 0.0, "argument")
            pairs = zip(result, wanted, strict=True) if isinstance(wanted, tuple) else [(result, wanted)]
            for mine, theirs in pairs:
                found = mine if isinstance(mine, float) else getattr(mine, "array", mine).get()
                harness.assert_same(found, theirs, 0.0, "result")


@somd.somd
def of_another_shape(a: A, b: np.ndarray, c: A) -> None:
    for i in range(len(a)):
        c[i] = a[i] + b[1, i % 2]


@pytest.mark.parametrize("target", harness.TARGETS)
def test_handles_of_two_shapes(target: str) -> None:
    if reason := harness.unavailable("opencl"):
        pytest.skip(reason)
    a, c = somd.to_device(np.arange(6.0)), somd.to_device(np.zeros(6))
    with somd.use(target=target, workers=3):
        of_another_shape(a, a.array.reshape(3, 2), c)
    assert c.to_host().tolist() == [2, 4, 4, 6, 6, 8]
