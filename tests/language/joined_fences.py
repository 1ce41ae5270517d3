"""Scalars of which every method instance has its own copy, made one at a fence by a function of the user's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from somd import ByKey, dist, partition, shared, somd, sync
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]


def vectors(*more, dtype=float, low=-9, high=9):
    return [(numbers(n, dtype=dtype, low=low, high=high), *more) for n in SIZES if n]


def furthest(copies: Sequence[float]) -> float:
    return max(copies, key=lambda x: (abs(x), x))


@program(lambda: vectors(3) + vectors(2, dtype=np.float32) + vectors(0))
@somd
def scaled_by_the_furthest(a: A, steps: int):
    worst = a[0]
    for _ in range(steps):
        worst = a[0]
        with sync(worst, reduce=furthest):
            for i in range(len(a)):
                x = a[i]
                if abs(x) > abs(worst):
                    worst = x
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + worst * 0.25
    return worst


@program(lambda: vectors(0.5) + vectors(0.5, dtype=np.float32))
@somd
def until_close(a: A, tolerance: float) -> int:
    error = 1.0
    steps = 0
    while error > tolerance and steps < 9:
        error = 0.0
        with sync(error, reduce=max):
            for i in range(len(a)):
                a[i] = a[i] * 0.5
                e = float(abs(a[i]))
                error = e if e > error else error
        steps += 1
    return steps


def first_of(copies: Sequence[int]) -> int:
    return min((c for c in copies if c >= 0), default=-1)


def last_of(copies: Sequence[int]) -> int:
    return max(copies)


@program(lambda: vectors(2.0) + vectors(99.0) + [(numbers(0), 1.0)])
@somd
def first_and_last_above(a: A, level: float):
    first: shared[int] = -1
    last: shared[int] = -1
    with sync(first, reduce=first_of):
        for i in range(len(a)):
            if a[i] > level and first < 0:
                first = i
    with sync(last, reduce=last_of):
        for i in range(len(a) - 1, -1, -1):
            if a[i] > level and last < 0:
                last = i
    return first, last


@program(lambda: vectors(dtype=np.int64) + vectors(dtype=np.uint8, high=200))
@somd
def builtins_are_operators(a: A):
    total = 7
    low = a[0]
    with sync(total, reduce=sum):
        for i in range(len(a)):
            total += a[i]
    with sync(low, reduce=min):
        for i in range(len(a)):
            low = min(low, a[i])
    return total, low


@program(lambda: vectors(), rtol=1e-12)
@somd
def norm_by_function(a: A) -> None:
    largest = 0.0
    with sync(largest, reduce=furthest):
        n = 0
        for i in range(len(a)):
            n += 1
            if abs(a[i]) > largest:
                largest = abs(a[i])
    for i in range(len(a)):
        a[i] = a[i] / largest


@somd
def peak(a: A) -> float:
    best = -math.inf
    with sync(best, reduce=furthest):
        for i in range(len(a)):
            best = a[i] if a[i] > best else best
    return best


@program(lambda: [(abs(numbers(n)), abs(numbers(n, seed=1))) for n in SIZES if n])
@somd
def nested(a: A, b: A) -> float:
    low = 0.0
    if len(a) > 3:
        low = peak(b)
    high = peak(a)
    for i in range(len(a)):
        a[i] = a[i] - high + low
    return high - low


def most(copies: Sequence[int]) -> int:
    return max(copies)


@program(lambda: [(np.repeat(np.arange(len(n)), n),) for n in ((), (3,), (3, 1, 0, 7, 2, 2, 40, 1, 5))])
@somd
def largest_group(key: Annotated[np.ndarray, dist, partition(ByKey)]):
    best = 0
    with sync(best, reduce=most):
        run = 0
        before = -1
        for i in range(len(key)):
            run = run + 1 if key[i] == before else 1
            before = key[i]
            best = max(best, run)
    return best
