"""Loops of the master with scalar code between phases, which a device runs itself; and loops inside an iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from somd import ByKey, dist, like, partition, somd, sync
from tests.language.program import SHAPES, SIZES, SQUARES, Case, numbers, program, spaced


def _square(n: int, dtype: type = float) -> np.ndarray:
    return numbers(n, n, dtype=dtype, low=-2, high=2) + np.eye(n, dtype=dtype) * 3


def _systems() -> Sequence[Case]:
    sizes = (1, 2, 5, 17, 40)
    cases = [(_square(n), numbers(n), np.full(n, -1)) for n in sizes]
    singular = np.zeros((5, 5))
    singular[0, 0] = 2.0
    return [*cases, (singular, numbers(5), np.zeros(5, int)), (_square(33, np.float32), numbers(33), np.zeros(33, int))]


@program(_systems)
@somd
def factorised(a: dist[np.ndarray], b: np.ndarray, pivots: np.ndarray) -> int:
    n = a.shape[0]
    exchanged = 0
    for k in range(n - 1):
        pivot = k
        largest = abs(a[k, k])
        for i in range(k + 1, n):
            if abs(a[k, i]) > largest:
                largest = abs(a[k, i])
                pivot = i
        pivots[k] = pivot
        if pivot != k:
            exchanged += 1
        if largest != 0.0:
            element = a[k, pivot]
            a[k, pivot] = a[k, k]
            a[k, k] = element
            scale = -1.0 / element
            for i in range(k + 1, n):
                a[k, i] *= scale
            for j in range(k + 1, n):
                factor = a[j, pivot]
                a[j, pivot] = a[j, k]
                a[j, k] = factor
                for i in range(k + 1, n):
                    a[j, i] += factor * a[k, i]
    for k in range(n - 1):
        pivot = pivots[k]
        moved = b[pivot]
        b[pivot] = b[k]
        b[k] = moved
        for i in range(k + 1, n):
            b[i] += moved * a[k, i]
    return exchanged


def _vectors() -> Sequence[Case]:
    return [(numbers(n), steps) for n in (1, 2, 7, 131) for steps in (1, 4)]


@program(_vectors, rtol=1e-12)
@somd
def normalized_again_and_again(a: dist[np.ndarray], steps: int):
    norm = 1.0
    for _ in range(steps):
        norm = 0.0
        for i in range(len(a)):
            norm += a[i] * a[i]
        norm = np.sqrt(norm)
        for i in range(len(a)):
            a[i] = a[i] / norm + 0.5
    return norm


@program(lambda: [(*case, 1e-3) for case in _vectors()], rtol=1e-11)
@somd
def until_small(a: dist[np.ndarray], steps: int, tolerance: float):
    change = 1.0
    turns = 0
    while change > tolerance and turns < 40 + steps:
        change = 0.0
        for i in range(len(a)):
            change = max(change, abs(a[i] * 0.5))
        for i in range(len(a)):
            a[i] *= 0.5
        turns += 1
    return change, turns


@program(lambda: [(numbers(n), n) for n in (1, 2, 9, 60)])
@somd
def sorted_by_selection(a: dist[np.ndarray], n: int) -> None:
    for k in range(n - 1):
        least = a[k]
        at = k
        for i in range(k + 1, n):
            if a[i] < least:
                least = a[i]
                at = i
        a[k], a[at] = a[at], a[k]


@program(lambda: [(numbers(n, dtype=kind, low=0), n) for n in (3, 50) for kind in (np.int8, np.uint16, np.float32)])
@somd
def narrow_scalars(a: dist[np.ndarray], n: int):
    last = a[0]
    for k in range(n):
        last = a[k] + a[0]
        for i in range(n):
            a[i] = a[i] + last
    return last


@program(lambda: [(numbers(n), numbers(n), steps) for n in (2, 31) for steps in (1, 2, 5)])
@somd
def exchanged_arrays(a: dist[np.ndarray], b: dist[np.ndarray], steps: int):
    seen = 0.0
    for _ in range(steps):
        for i in range(1, len(a)):
            b[i] = a[i - 1] * 0.5
        seen = b[1] + seen
        a, b = b, a
    return seen


@program(lambda: [(numbers(n), n, limit) for n in (4, 70) for limit in (-100.0, 0.0, 100.0)])
@somd
def branches_on_elements(a: dist[np.ndarray], n: int, limit: float):
    count = 0
    for k in range(n):
        x = a[k]
        if x > limit:
            x = x - limit
            count = count + 1
        else:
            x = -x
        for i in range(n):
            a[i] += x * 0.125
        for i in range(k):
            a[i] -= x
    return count


@program(lambda: [(numbers(n, n), np.arange(n)[::-1] % n) for n in (2, 35)])
@somd
def picked_rows(a: dist[np.ndarray], order: np.ndarray) -> None:
    for k in range(a.shape[0]):
        row = order[k]
        pivot = a[row, row]
        for j in range(a.shape[1]):
            a[row, j] = a[row, j] + pivot


@program(lambda: [(numbers(*s), numbers(*s, seed=1), numbers(s[1], seed=2)) for s in (*SHAPES, (40, 70), (3, 300))])
@somd
def long_iterations(a: dist[np.ndarray], b: dist[np.ndarray], c: np.ndarray) -> None:
    for i in range(a.shape[0]):
        f = 2.0
        if a.shape[1] > 0:
            f = a[i, 0]
            b[i, 0] = f
        for j in range(a.shape[1]):
            a[i, j] = a[i, j] * f + c[j]
        for j in range(a.shape[1] - 1, -1, -2):
            if j % 3 == 0:
                continue
            b[i, j] -= a[i, j] + f
        if a.shape[1] > 2:
            a[i, 1] = b[i, 2]


@program(lambda: [(spaced(_square(n)),) for n in (*SQUARES, 50)])
@somd
def triangles(a: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        first = a[i, i]
        second = first * 2.0
        for j in range(i):
            a[i, j] = a[i, j] / (first * first + 1.0)
        a[i, i] = second
        for j in range(i + 1, a.shape[1]):
            a[i, j] = a[i, j] + second


@program(lambda: [(_square(n), steps) for n in (3, 33) for steps in (1, 3)])
@somd
def swept(a: dist[np.ndarray], steps: int):
    total = 0.0
    for p in range(steps):
        with sync:
            for i in range(a.shape[0]):
                corner = a[i, 0] + p
                for j in range(1, a.shape[1]):
                    a[i, j] = a[i, j] + corner
        total = total + a[p % a.shape[0], 1]
    return total


def _matrices() -> Sequence[Case]:
    shapes = ((0, 3), (1, 1), (33, 31), (40, 70), (70, 129), (32, 64))
    cases: list[Case] = [(numbers(*s), numbers(s[1], seed=1), np.zeros(s[0])) for s in shapes]
    narrow = numbers(45, 40, dtype=np.float32), numbers(40, dtype=np.float32), np.zeros(45, np.float32)
    return [*cases, narrow, (spaced(numbers(40, 50)), numbers(50), np.zeros(40))]


@program(_matrices)
@somd
def rows_in_order(A: dist[np.ndarray], x: np.ndarray, y: dist[np.ndarray]) -> None:
    for i in range(A.shape[0]):
        total = y[i]
        for j in range(A.shape[1]):
            total += A[i, j] * x[j]
        y[i] = total


@program(_matrices)
@somd
def shifted_rows(A: dist[np.ndarray], x: np.ndarray, y: dist[np.ndarray]) -> None:
    for i in range(1, A.shape[0] - 1):
        before = x[0] * 0
        after = before
        for j in range(1, A.shape[1] - 1):
            before = before * x[j] + A[i, j - 1]
            if A[i + 1, j + 1] > before:
                after = after + A[i, j - 1] - A[i + 1, j + 1] * j
        y[i] = before - after


@program(lambda: [(numbers(n * m), np.zeros(n), n, m) for n, m in ((3, 4), (50, 40), (33, 100))])
@somd
def rows_laid_out_by_hand(A: dist[np.ndarray], y: dist[np.ndarray], n: int, m: int) -> None:
    for i in range(n):
        biggest = -1e300
        for j in range(m):
            biggest = max(biggest, A[i * m + j])
        y[i] = biggest


@program(lambda: [(numbers(*s), numbers(*s, seed=1)) for s in (*SHAPES, (40, 33))])
@somd
def columns_outside(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for j in range(1, a.shape[1]):
        for i in range(a.shape[0]):
            a[i, j] = b[i, j] + b[i, j - 1] * 2.0


def _keyed() -> Sequence[Case]:
    found: list[Case] = []
    for n, rows in ((0, 1), (1, 1), (20, 3), (150, 40)):
        keys = np.sort(numbers(n, dtype=np.int64, low=0, high=rows - 1))
        found += [(np.ones(rows), keys, numbers(n)), (np.ones(rows, np.float32), keys.astype(np.int32), numbers(n))]
    return found


@program(_keyed)
@somd
def runs_of_keys(
    y: np.ndarray,
    key: Annotated[np.ndarray, dist, partition(ByKey)],
    value: Annotated[np.ndarray, dist, like("key")],
) -> None:
    for _ in range(2):
        for k in range(1, len(key)):
            y[key[k]] += value[k] * k
        for k in range(len(key)):
            y[key[k]] *= value[k]


@program(lambda: [(numbers(n), np.zeros(n, np.int64), n + 3) for n in (*SIZES, 40)])
@somd
def exchanged_in_inner_loops(a: dist[np.ndarray], c: dist[np.ndarray], n: int) -> tuple:
    """Of what is exchanged, one number is no longer needed behind the loop."""
    most, total = 0.0, 0
    for i in range(len(a)):
        u, v = 0, 1
        for _ in range(i, min(n, i + 60)):
            u, v = v, u + v
        c[i] += u
        p = (np.float64(0.0), np.float64(1.0))
        for j in range(i % 7, -1, -1):
            p = (p[1], p[0] + a[j % 3 - 1])
        most = max(most, float(p[0]))
        x, y, z = np.float32(0), np.float32(1), np.float32(2)
        for _ in range(i % 5):
            x, y, z = y, z, x - y
        total += 1 if x > 0 else 0
    return most, total


@program(lambda: [(x, x, start) for start in (0, -(2**62) - 1, 2**43) for n in SIZES for x in [numbers(n)]])
@somd
def in_order_from_far_away(x: dist[np.ndarray], y: dist[np.ndarray], start: int) -> None:
    for i in range(start, start + x.size):
        x[i - start] = y[-(i - start) - 1] * 3.0 + 1.0


@program(lambda: [(np.zeros(n), 5) for n in (1, 7, 120)], rtol=1e-9)
@somd
def loops_of_other_lengths_beside_remainders(a: dist[np.ndarray], n: int) -> None:
    for i in range(len(a)):
        x = 0.5
        y = 0.125
        for k in range(n):
            for j in range(n, 0, -1):
                for m in range(n, 0, -1):
                    x = (x + (m * 0.375 % 3.0 if abs(j * 0.5 % 3.0) > x else abs(j * 0.5 % 3.0))) % 5.0
                for m in range(3):
                    x = (x + (y % 3.0) * 0.25) % 5.0
            for j in range(i):
                for m in range(1, n, 2):
                    y = (y + (y + 0.25) % 3.0 * 0.75) % 5.0
        a[i] = x + 10.0 * y


@program(
    lambda: [(spaced(x), x.copy(), np.array([3, 1]), n) for n in (-1, 2) for m in (7, 16, 120) for x in [numbers(m)]]
)
@somd
def loops_that_only_may_fail(a: dist[np.ndarray], c: dist[np.ndarray], b: np.ndarray, n: int) -> None:
    for i in range(len(a)):
        x = 99 + i % 3
        for _ in range(n + 1):
            x = min(x + 77, 1048575)
            if x > 100:
                x -= b[0]
        c[i] = x
        c[i] = np.sqrt(abs(a[i]))
