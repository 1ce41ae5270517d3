"""Phases that wait for some turns of the loop around them, as in factorisations; and loops that must not wait."""

from __future__ import annotations

import os

import numpy as np
import pytest

import somd
from somd import dist
from tests.differential import harness


@somd.somd
def cholesky(a: dist[np.ndarray]) -> None:
    n = a.shape[0]
    for k in range(n):
        a[k, k] = np.sqrt(a[k, k])
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                a[i, j] = a[i, j] - a[i, k] * a[j, k]


@somd.somd
def elimination(a: dist[np.ndarray], used: dist[np.ndarray]) -> None:
    n = a.shape[0]
    for k in range(n - 1):
        best = 0.0
        pivot = k
        for i in range(k, n):
            if abs(a[k, i]) > best:
                best = abs(a[k, i])
                pivot = i
        used[k] = pivot
        if best > 0.25:
            scale = 1.0 / best if pivot % 2 == 0 else 0.5
            for j in range(k + 1, n):
                a[j, k] = a[j, k] * scale
                for i in range(k, n):
                    a[j, i] = a[j, i] - 0.5 * a[k, i] * a[j, k]
        else:
            used[k] = -1


@somd.somd
def next_row_too(a: dist[np.ndarray], seen: dist[np.ndarray]) -> None:
    for k in range(a.shape[0] - 2):
        seen[k] = a[k, 0] + a[k + 1, 0] + a[k + 2, 0]
        for j in range(k + 1, a.shape[0]):
            for i in range(a.shape[1]):
                a[j, i] = a[j, i] + a[k, i]


@somd.somd
def shrinking(a: dist[np.ndarray], n: int) -> int:
    for k in range(n):
        n = n - 1
        for j in range(k + 1, min(n + 2, a.shape[0])):
            for i in range(a.shape[1]):
                a[j, i] = a[j, i] * 0.5 + a[k, i] + n
    return n


@somd.somd
def until_small(a: dist[np.ndarray], limit: float) -> int:
    turns = 0
    for k in range(a.shape[0] - 1):
        turns = k
        if abs(a[k, k]) < limit:
            break
        for j in range(k + 1, a.shape[0]):
            factor = a[j, k] / a[k, k]
            for i in range(k, a.shape[1]):
                a[j, i] = a[j, i] - factor * a[k, i]
    return turns


@somd.somd
def with_others(a: dist[np.ndarray]) -> int:
    """Turns that are left out, and what follows the last of them."""
    turns, last = 0, 0
    for k in range(1, a.shape[0] - 2):
        if k % 3 == 0:
            continue
        turns += 1
        last = k
        if a[k, 0] > 1e30:
            break
        half = a[k, 1] * 0.5
        late = turns > 4
        for j in range(k + 2, a.shape[0]):
            for i in range(a.shape[1]):
                a[j, i] = a[j, i] + half * a[k, i] if late else a[j, i] - half
    return turns * 100 + last


@somd.somd
def leaving(a: dist[np.ndarray], limit: float) -> int:
    for k in range(a.shape[0] - 1):
        if a[k, 0] > limit:
            turns = -k
            break
        for j in range(k + 1, a.shape[0]):
            for i in range(a.shape[1]):
                a[j, i] = a[j, i] + 0.5 * a[k, i]
    else:
        turns = 1
    return turns


@somd.somd
def all_pairs(d: dist[np.ndarray], row: dist[np.ndarray]) -> None:
    n = d.shape[0]
    for k in range(n):
        for j in range(n):
            row[j] = d[k, j]
        for i in range(n):
            through = d[i, k]
            for j in range(n):
                d[i, j] = min(d[i, j], through + row[j])


@somd.somd
def all_other_rows(a: dist[np.ndarray]) -> None:
    for k in range(a.shape[0]):
        for i in range(a.shape[0]):
            if i != k:
                factor = a[i, k] / a[k, k]
                for j in range(k, a.shape[1]):
                    a[i, j] = a[i, j] - factor * a[k, j]


@somd.somd
def one_place(a: dist[np.ndarray], w: np.ndarray) -> None:
    for k in range(a.shape[0] - 1):
        w[0] = a[k, 0]
        for j in range(k + 1, a.shape[0]):
            for i in range(a.shape[1]):
                a[j, i] = a[j, i] + w[0]


@somd.somd
def last_row(a: dist[np.ndarray]) -> float:
    total = 0.0
    for k in range(a.shape[0] - 1):
        total = total + a[a.shape[0] - 1, 0]
        for j in range(k + 1, a.shape[0]):
            for i in range(a.shape[1]):
                a[j, i] = a[j, i] + 0.5 * a[k, i]
    return total


@somd.somd
def copied(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for k in range(a.shape[0] - 1):
        c = a.copy()
        b[k] = c[a.shape[0] - 1, 0]
        for j in range(k + 1, a.shape[0]):
            for i in range(a.shape[1]):
                a[j, i] = a[j, i] + 0.5 * a[k, i]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape[0]).random(shape)


def definite(n: int) -> np.ndarray:
    a = numbers(n, n)
    return a @ a.T + n * np.eye(n)


SIZES = (0, 1, 2, 17, 70, 200)
#: of matrices, where plain Python takes seconds for the largest
MATRICES = (0, 1, 2, 17, 70)
WAITING = {
    "elimination": (elimination, lambda n: (numbers(n, n), np.zeros(n, np.int64))),
    "next_row_too": (next_row_too, lambda n: (numbers(n, 3), np.zeros(n))),
    "shrinking": (shrinking, lambda n: (numbers(n, 4), n)),
    "with_others": (with_others, lambda n: (numbers(n, 3),)),
    "leaving": (leaving, lambda n: (numbers(n, 3), 0.5)),
    "until_small": (until_small, lambda n: (numbers(n, n + 1), 0.01)),
}
NOT_WAITING = {
    "cholesky": (cholesky, lambda n: (definite(n),)),
    "all_pairs": (all_pairs, lambda n: (numbers(n, n), np.zeros(n))),
    "all_other_rows": (all_other_rows, lambda n: (definite(n),)),
    "one_place": (one_place, lambda n: (numbers(n, 3), np.zeros(1))),
    "last_row": (last_row, lambda n: (numbers(n, 3),)),
    "copied": (copied, lambda n: (numbers(n, 3), np.zeros(n))),
}


#: those of `NOT_WAITING` that the usual run compiles: an array of all elements that later turns need, and a copy of it
PLAIN = ("all_pairs", "copied")


@pytest.mark.parametrize("name", WAITING)
def test_rows_that_wait_get_the_same_bits(name: str) -> None:
    method, arguments = WAITING[name]
    assert "may wait for some turns" in method.explain()
    for size in MATRICES if name in ("elimination", "until_small") else SIZES:
        harness.check(method, arguments(size), "multicore", workers=(1, 2, 3))


@pytest.mark.parametrize("name", NOT_WAITING)
def test_rows_that_later_turns_need_do_not_wait(name: str) -> None:
    method, arguments = NOT_WAITING[name]
    assert "may wait" not in method.explain()
    if name not in PLAIN and not os.environ.get("SOMD_ALL_CASES"):
        return  # the same loops as without turns that wait
    for size in (2, 17):
        harness.check(method, arguments(size), "multicore", workers=(1, 3))


def test_parts_of_an_array_and_other_types() -> None:
    harness.check(next_row_too, (np.asfortranarray(numbers(40, 4)).astype(np.float32), np.zeros(40)), "multicore")
    harness.check(until_small, (definite(64)[::-2, ::-2], 0.0), "multicore", workers=(2,))


def test_an_index_outside_is_an_error_all_the_same() -> None:
    for workers in (1, 2):
        with somd.use(target="multicore", workers=workers), pytest.raises(IndexError, match="used"):
            elimination(numbers(200, 200), np.zeros(150, int))
        with somd.use(target="multicore", workers=workers), pytest.raises(IndexError, match="axis 1"):
            elimination(numbers(200, 100), np.zeros(200, int))
