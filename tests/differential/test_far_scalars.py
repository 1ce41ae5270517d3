"""Scalars near the ends of 64 bits in indexes, bounds and conditions: plain Python's result, its IndexError, or
SOMD609; nothing outside of an array is ever read or written."""

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
MOST = 2**63 - 1
FAR = (MOST, -MOST - 1, MOST - 1, 2**62, -(2**62) - 1, 2**62 - 2, 2**44, -(2**44), 0, 1, -1, -7, 5)


def scaled(a: A, m: int) -> np.ndarray:
    c = np.zeros_like(a)
    for i in range(len(a)):
        c[i] = a[4 * m] + a[2 * m + i]
    return c


def shifted_writes(a: A, m: int) -> None:
    for i in range(len(a)):
        a[i + m] = 1


def condition_that_wraps(a: A, m: int) -> None:
    for i in range(len(a)):
        if i + m < 0:
            a[i + 5] = 1


def bounds_that_wrap(a: A, m: int) -> None:
    for i in range(-m - 5):
        a[i] = 1


def bound_from_a_scalar(a: A, m: int) -> None:
    k = 2 * m
    for i in range(k):
        a[i] = 1


def limit(a: A, m: int) -> None:
    for i in range(len(a)):
        if i < m:
            a[i] = 7


def backward(a: A, m: int) -> None:
    for i in range(len(a) - 1, m, -1):
        a[i] = 7


def from_there_on(a: A, m: int) -> None:
    for i in range(m, len(a)):
        a[i] = 3


def hashed(a: A, m: int) -> np.ndarray:
    c = np.zeros_like(a)
    h = m * 31 + 7
    for i in range(len(a)):
        c[i] = a[h % 5] + a[(i * 31 + m) % 7]
    return c


def halves(a: A, m: int) -> None:
    for i in range(len(a)):
        a[(i + m) // 2 - i // 2] = 3 + m // 5


def inner_bounds(a: A, m: int) -> None:
    for i in range(len(a)):
        turns = 0
        for _k in range(m, i - 20):
            turns += 1
            if turns > 5:
                break
        a[i] += turns


def window(a: A, b: A, m: int) -> None:
    for i in range(m, b.size + m, 2):
        a[i - m] = b[i - m] + 1


METHODS = (
    scaled,
    shifted_writes,
    condition_that_wraps,
    bounds_that_wrap,
    bound_from_a_scalar,
    limit,
    backward,
    from_there_on,
    hashed,
    inner_bounds,
)


def outcome(call: Callable[[np.ndarray, Any], Any], n: int, m: Any) -> Any:
    """Result and argument after a call on `n` elements in the middle of others, or the name of what it raises."""
    memory = np.arange(-50, n + 50)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            result = call(memory[50 : n + 50], m)
        except (IndexError, OverflowError):  # an int that is no index: which of them depends on the version of NumPy
            return "IndexError"
        except somd.SomdRuntimeError as error:
            return error.code
    kept = np.concatenate([memory[:50], memory[n + 50 :]])
    assert np.array_equal(kept, np.concatenate([np.arange(-50, 0), np.arange(n, n + 50)])), "written outside"
    return result, memory[50 : n + 50].copy()


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("function", METHODS, ids=lambda function: str(function.__name__))
@pytest.mark.usual(3)
def test_far_scalars(function: Any, target: str) -> None:
    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    method = somd.somd(function)
    refused = 0
    for n, kind, m in ((n, kind, m) for n in (0, 3, 20) for kind in (int, np.int64) for m in FAR):
        # Python's ints are 64 bits wide here.
        plain = outcome(function, n, np.int64(m) if function is hashed else kind(m))
        for workers in (1, 3):
            with somd.use(target=target, workers=workers, small_work=0):
                found = outcome(method, n, kind(m))
            where = f"{n} elements, {kind.__name__} {m}, {workers} workers"
            if found == "SOMD609":
                assert abs(m) > 2**44, where
                refused += 1
            elif isinstance(plain, str) or isinstance(found, str):
                assert isinstance(found, str) and found == plain, (where, found, plain)
            else:
                harness.assert_same(found[0], plain[0], 0.0, where)
                harness.assert_same(found[1], plain[1], 0.0, where)
    if function in (limit, backward, from_there_on, hashed, inner_bounds):
        assert not refused, "nothing is computed from the scalar here"


@pytest.mark.parametrize("target", harness.TARGETS)
def test_bounds_that_wrap_where_accesses_are_tested(target: str) -> None:
    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    method = somd.somd(window)
    for n, m in ((n, m) for n in (0, 3, 20) for m in FAR):
        plain = outcome(lambda a, m: window(a, np.arange(len(a)), m), n, np.int64(m))
        with somd.use(target=target, workers=3, small_work=0):
            found = outcome(lambda a, m: method(a, np.arange(len(a)), m), n, m)
        harness.assert_same(found[1], plain[1], 0.0, f"{n} elements, {m}")
