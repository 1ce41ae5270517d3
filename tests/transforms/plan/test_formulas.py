"""Which loops are distributed though no array asks for it, and which methods run on one thread."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest

from somd import SomdCompileError, dist, reduce, single, somd
from somd.transforms import pipeline

A = dist[np.ndarray]


def phases(function) -> list[str]:
    """The loops that are distributed."""
    return [" ".join(d.variable for d in p.nest.dims) for p in pipeline.check(function).phases()]


def test_a_loop_that_only_accumulates() -> None:
    def f(n: int) -> int:
        total = 0
        for i in range(n):
            for j in range(n):
                total += i * j
        return total

    assert phases(f) == ["i j"]


def test_a_short_loop_is_not_worth_a_phase_unless_a_reduction_is_asked_for() -> None:
    def short(n: int) -> int:
        total = 0
        for i in range(8):
            total += i * n
        return total

    def asked(n: int) -> Annotated[int, reduce("+")]:
        total = 0
        for i in range(8):
            total += i * n
        return total

    assert phases(short) == []
    assert phases(asked) == ["i"]


def test_an_array_that_the_variable_indexes_decides_as_ever() -> None:
    def unmarked(n: int, table: np.ndarray) -> int:
        total = 0
        for i in range(n):
            k = i % 7
            total += table[k]
        return total

    with pytest.raises(SomdCompileError, match="mark the array that its loops index"):
        somd(unmarked)


def test_loops_over_arrays_come_first() -> None:
    def f(a: A, n: int) -> float:
        total = 0.0
        for t in range(n):
            for i in range(len(a)):
                total += a[i] * t
        return total

    assert phases(f) == ["i"]


def test_turns_that_fill_an_array_enter_no_phase() -> None:
    def f(a: A, table: np.ndarray, n: int) -> None:
        for j in range(len(table)):
            total = 0
            for i in range(n):
                total += i % (j + 1)
            table[j] = total
        for i in range(len(a)):
            a[i] *= 2.0

    assert phases(f) == ["i"]


def test_what_runs_in_order_whatever_is_marked_runs_on_one_thread() -> None:
    def recurrence(a: np.ndarray) -> None:
        for i in range(1, len(a)):
            a[i] += a[i - 1]

    def by_request(a: A) -> None:
        with single:
            for i in range(len(a)):
                a[i] += 1.0

    def by_nature(a: A) -> None:
        i = 0
        while i < len(a):
            a[i] += 1.0
            i += 2

    for function in (recurrence, by_request, by_nature):
        assert phases(function) == []
        assert "nothing is distributed: all of it runs in order, on one thread" in somd(function).explain()
