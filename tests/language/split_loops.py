"""Loops of which one iteration touches what all others do: they are distributed in three pieces."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SQUARES, fortran, numbers, program, spaced

A = dist[np.ndarray]


def squares(*dtypes):
    return [(form(numbers(n, n, dtype=d)),) for n in SQUARES for d in dtypes for form in (np.copy, spaced, fortran)]


@program(lambda: squares(float, np.float32, np.int64, np.uint8))
@somd
def shortest_paths(length: A) -> None:
    n = len(length)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                length[i, j] = min(length[i, j], length[i, k] + length[k, j])


@program(lambda: squares(bool))
@somd
def transitive_closure(edge: A) -> None:
    n = len(edge)
    for k in range(n):
        for i in range(n):
            if edge[i, k]:
                for j in range(n):
                    edge[i, j] = edge[i, j] or edge[k, j]


def places(*sizes):
    return [(numbers(n), k) for n in sizes for k in (-n - 1, -n, -1, 0, 1, n // 2, n - 1, n, n + 1)]


@program(lambda: places(0, 1, 2, 7, 131))
@somd
def relative_to_one(a: A, k: int) -> None:
    for i in range(len(a)):
        a[i] = a[i] - a[k]


@program(lambda: places(1, 7))
@somd
def relative_to_one_before(a: A, k: int) -> None:
    for i in range(2, len(a) - 1):
        a[i] = a[i] - 0.5 * a[k - 1]


@program(lambda: [(numbers(n),) for n in (0, 1, 2, 9)])
@somd
def relative_to_the_ends(a: A) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i] - a[0]
    for i in range(len(a)):
        a[i] += a[len(a) - 1]


@program(lambda: [(numbers(5, 4), r, c) for r in (0, 3, 4) for c in (-1, 0, 2, 3)])
@somd
def pivot_taken_away(a: A, r: int, c: int) -> None:
    for i in range(a.shape[0]):
        f = a[i, c] / a[r, c]
        if f > 3.0:
            continue
        for j in range(a.shape[1]):
            a[i, j] -= f * a[r, j]


@program(lambda: [(numbers(n, dtype=np.int64), n // 3) for n in (1, 2, 40)])
@somd
def largest_change(a: A, k: int) -> int:
    assert k >= 0
    most = -1
    for i in range(len(a)):
        before = a[i]
        a[i] += 3 * a[k]
        most = max(most, abs(a[i] - before))
    return most


@program(lambda: [(numbers(n, dtype=np.int64, low=bad), k) for n in (3, 17) for k in (0, 2) for bad in (1, -4)])
@somd
def checked_on_the_way(a: A, k: int) -> None:
    for i in range(len(a)):
        if a[i] < 0:
            raise ValueError(f"a[{i}] is {a[i]}")
        a[i] = a[i] * a[k] + 1


@program(lambda: [(numbers(6, 7, 8), k) for k in (0, 3, 5)])
@somd
def with_arrays_of_its_own(a: A, k: int) -> None:
    for i in range(a.shape[0] if k < 5 else a.shape[0] - 1):
        for j in range(a.shape[1]):
            w = np.zeros(a.shape[2])
            for m in range(a.shape[2]):
                w[m] = a[i, j, m] + a[k, j, m]
            for m in range(a.shape[2]):
                a[i, j, m] = w[a.shape[2] - 1 - m]
