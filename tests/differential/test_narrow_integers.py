"""Python ints that loops as written join with narrower integers, or store there: what NumPy raises is raised before the
loop, where plain Python comes to the operation for sure (`docs/limits.md`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from tests.differential import harness

A = dist[np.ndarray]


@somd.somd
def scaled(a: A, b: A, k: int, m: int) -> None:
    for i in range(len(a)):
        x = b[i] + 1
        a[i] = x * k
        if a[i] == 7:
            a[i] = m


@somd.somd
def in_turns(a: A, steps: int, k: int) -> np.int16:
    s = np.int16(0)
    for _ in range(steps):
        for i in range(len(a) - 2, -1, -1):
            for j in range(a.shape[1]):
                a[i, j] |= k
    for _ in range(len(a)):
        s += k
    return s


@somd.somd
def counted(a: A, b: A, first: int, last: int, start: int) -> None:
    for i in range(len(a)):
        a[i] = i
    for j in range(first, last):
        b[j - start] = b[j - start] + j


@somd.somd
def left(a: A, k: int) -> None:
    for i in range(len(a)):
        if i > 2:
            continue
        a[i] = k


def each(method: Any, target: str, *cases: tuple[Any, ...]) -> None:
    if reason := harness.unavailable(target):
        pytest.skip(reason)
    for case in cases:
        harness.check(method, case, target, workers=(1, 3))


@pytest.mark.parametrize("target", harness.TARGETS)
def test_ints_that_no_loop_changes(target: str) -> None:
    b = np.arange(5).astype(np.uint8)
    cases = [(np.zeros(n, np.uint8), b[:n], k, m) for n in (0, 5) for k in (3, 255, 256, -1) for m in (1, 200)]
    each(scaled, target, *cases)
    a = np.arange(6).astype(np.int16).reshape(3, 2)
    ints = (1, -32768, 32767, 32768, -32769)
    each(in_turns, target, *((a[:rows], steps, k) for rows in (1, 3) for steps in (0, 2) for k in ints))


@pytest.mark.parametrize("target", harness.TARGETS)
def test_variables_of_loops(target: str) -> None:
    b = np.arange(300).astype(np.int8)
    ranges = [
        (0, 20, 0),
        (100, 128, 100),
        (100, 129, 100),
        (-128, 0, -128),
        (-129, 0, -129),
        (300, 310, 300),
        (300, 9, 0),
    ]
    each(counted, target, *((np.zeros(128, np.int8), b, *each) for each in ranges))
    each(counted, target, *((np.zeros(n, np.int8), b, 0, 0, 0) for n in (0, 129, 200)))


def test_what_is_not_sure_is_not_tested() -> None:
    """Behind what may end an iteration, and in int64, which takes every int."""
    each(left, "opencl", (np.zeros(5), 300), (np.zeros(5, np.int64), 300), (np.zeros(0, np.int8), 300))
    assert "OverflowError" not in left.source("opencl")
