"""Loops over a range that index no array, and methods that run in order, on one thread."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from somd import dist, reduce, shared, single, somd, sync
from tests.language.program import SHAPES, SIZES, numbers, program

A = dist[np.ndarray]
COUNTS = (0, 1, 2, 7, 500)


def counts(*more):
    return [(n, *more) for n in COUNTS]


def scrambled(seed: int, k: int) -> int:
    return (seed * 1103515245 + k * 12345 + 7) % 2147483648


@program(lambda: counts(3))
@somd
def monte_carlo(n: int, seed: int) -> Annotated[int, reduce("+")]:
    hits = 0
    for i in range(n):
        x = scrambled(seed + i, 1) / 2147483648.0
        y = scrambled(seed - i, 2) / 2147483648.0
        if x * x + y * y < 1.0:
            hits += 1
    return hits


@program(counts, rtol=1e-12)
@somd
def integral(n: int) -> float:
    total = 0.0
    for i in range(n):
        x = (i + 0.5) / n
        total += 4.0 / (1.0 + x * x)
    return total / max(n, 1)


@program(lambda: [(n, m) for n in COUNTS for m in (0, 3)])
@somd
def over_a_grid(n: int, m: int) -> tuple[int, int, int]:
    total, most, at = 0, -1, -1
    for i in range(n - 1, -1, -2):
        for j in range(m):
            total += scrambled(i, j) % 17
    for i in range(n):
        value = scrambled(i, m) % 1001
        if value > most:
            most = value
            at = i
    return total, most, at


@program(lambda: [(n, numbers(m, dtype=int), 3) for n, m in zip(COUNTS[1:], SIZES[1:], strict=True)])
@somd
def beside_loops_over_arrays(n: int, a: A, turns: int) -> int:
    seen = 0
    for t in range(turns):
        part = 0
        for i in range(n):
            w = np.zeros(2, np.int64)
            w[i % 2] = scrambled(i, t)
            part ^= w[0] + a[0]
        for i in range(len(a)):
            a[i] += part % 7
        seen += part
    return seen


@program(lambda: counts())
@somd
def under_a_fence(n: int) -> float:
    total: shared[int] = 0
    while total < 100:
        with sync(total, reduce="+"):
            for i in range(n):
                total += i * i
        total += 60
    return math.sqrt(total)


def summed(partials: list[int]) -> int:
    return sum(partials)


@program(lambda: counts())
@somd
def partial_results(n: int) -> Annotated[int, reduce(summed)]:
    last = 0
    for i in range(n):
        last = last + scrambled(i, 1) % 5
    return last


@program(lambda: [(numbers(n),) for n in SIZES[1:]])
@somd
def all_under_single(a: A) -> float:
    last = 0.0
    with single:
        for i in range(1, len(a)):
            a[i] += 0.5 * a[i - 1]
        for i in range(len(a)):
            last = 0.5 * last + a[i]
    return last


@program(lambda: [(numbers(n, m), numbers(n)) for n, m in SHAPES])
@somd
def recurrences_over_unmarked_arrays(a: np.ndarray, b: np.ndarray) -> int:
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] += a[i - 1, j] - a[i, j - 1]
    k = 1
    while k < len(b):
        b[k] = b[k - 1] + b[k]
        k += 2
    return k


@program(lambda: counts())
@somd
def linear_congruences(n: int) -> tuple[int, int]:
    x, steps = 1, 0
    for _ in range(n):
        x = scrambled(x, 3)
    for _ in range(10):
        steps += x % 3
    return x, steps
