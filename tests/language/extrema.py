"""Minima and maxima in all forms, where they differ: nan, signed zeros, equal values, and which of them stays."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, shared, somd, sync
from tests.language.program import numbers, program

A = dist[np.ndarray]
NAN, INF = math.nan, math.inf
SPECIAL = (0.0, -0.0, 1.0, -1.0, INF, -INF, 2.0, 2.0)


def drawn(*chosen, dtype=float, sizes=(1, 2, 7, 70, 131), seed=0):
    """Arrays of values from `chosen`, nan among them in every second one."""
    made = []
    for n in sizes:
        generator = np.random.default_rng([seed, n])
        values = generator.choice(np.array(chosen or SPECIAL, dtype), n)
        made.append(values.copy())
        if np.dtype(dtype).kind == "f":
            values[generator.integers(0, n, 1 + n // 50)] = NAN
            made.append(values)
    return made


def alone(dtype=float):
    tail = np.array([1, NAN], dtype)
    return [(a,) for a in (*drawn(dtype=dtype), *drawn(0.0, -0.0, dtype=dtype), np.full(100, NAN, dtype), tail)]


def integers(dtype, *more):
    limits = np.iinfo(dtype)
    return [(a, *more) for a in (*drawn(limits.max, limits.min, 3, 3, dtype=dtype), numbers(99, dtype=dtype))]


@program(lambda: alone() + alone(np.float32) + integers(np.int64) + integers(np.uint8))
@somd
def accumulator_behind(a: A):
    low = high = lowest = a[0]
    for i in range(len(a)):
        low = min(a[i], low)
        high = max(a[i], high)
        lowest = min(a[i], a[len(a) - 1 - i], lowest)
    return low, high, lowest


@program(lambda: alone() + alone(np.float32) + integers(np.int8))
@somd
def accumulator_before_several(a: A):
    low = high = a[0]
    for i in range(len(a)):
        low = min(low, a[i], a[0])
        high = max(high, a[len(a) - 1], a[i])
    return low, high


@program(lambda: alone() + alone(np.float32) + integers(np.uint64))
@somd
def conditional_expressions(a: A):
    taken = equal = kept = kept_equal = a[len(a) - 1]
    for i in range(len(a)):
        taken = a[i] if taken > a[i] else taken
        equal = a[i] if a[i] >= equal else equal
        kept = kept if kept < a[i] else a[i]
        kept_equal = kept_equal if a[i] <= kept_equal else a[i]
    return taken, equal, kept, kept_equal


@program(lambda: integers(np.int64) + integers(np.int16))
@somd
def accumulator_in_the_middle(a: A):
    low = a[0]
    for i in range(len(a)):
        low = min(a[i], low, a[0])
        low = low if low < a[i] else a[i]
    return low


@program(lambda: alone() + alone(np.float32))
@somd
def places_of_the_last(a: A):
    high = low = a[0]
    at = first = before = -1
    beside = a[0]
    for i in range(len(a)):
        if a[i] >= high:
            high = a[i]
            at = i
            beside = a[len(a) - 1 - i]
            before = i - 1
        if low >= a[i]:
            low, first = a[i], i
    return high, at, beside, before, low, first


@program(lambda: integers(np.int64) + integers(np.uint8))
@somd
def places_of_the_last_integers(a: A):
    high = low = a[0]
    at = first = -1
    for i in range(len(a) - 1, -1, -1):
        if a[i] >= high:
            high = a[i]
            at = i
        if a[i] <= low:
            low = a[i]
            first = i
    return high, at, low, first


@program(lambda: [(np.stack([a, b]), s) for a, b in zip(drawn(), drawn(seed=1), strict=True) for s in (NAN, -0.0, INF)])
@somd
def extrema_of_a_matrix(a: A, s: float):
    low = np.float64(s)
    at = row = -1
    high = a[0, 0]
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            if a[i, j] == 1.0:
                continue
            low = min(a[i, j], low)
            if a[i, j] >= high:
                high = a[i, j]
                at = j
                row = i
    return low, high, at, row


@program(lambda: alone() + [(np.arange(1000.0) * 7 % 11,)])
@somd
def extrema_of_what_is_written(a: A):
    low = high = a[0]
    for i in range(len(a)):
        a[i] = 2 * a[i] + 1
        low = min(a[i], low)
        high = high if high >= a[i] else a[i]
    return low, high


@program(lambda: [(a, np.zeros_like(a), 3) for a in drawn()])
@somd
def extrema_in_a_loop(a: A, b: A, steps: int):
    low = high = last = a[0]
    at = 0
    for k in range(steps):
        for i in range(len(a)):
            low = min(a[i], low)
            last = a[i] if a[i] >= last else last
            if a[i] >= high:
                high = a[i]
                at = i
        for i in range(len(a)):
            b[i] = low + last * k
            a[i] = -a[i] if i % 3 else a[i] + at
    return low, last, high, at


@program(lambda: [(a, np.arange(len(a)) * 7 % 5) for a in drawn()])
@somd
def extrema_beside_a_histogram(a: A, key: A):
    count: shared[np.ndarray] = np.zeros(5, np.int64)
    low = high = a[0]
    at = -1
    with sync(count, reduce="+"):
        for i in range(len(a)):
            count[key[i]] += 1
            low = min(a[i], low)
            if a[i] >= high:
                high = a[i]
                at = i
    return count, low, high, at


@program(lambda: [(np.arange(n) * 7 % 5, numbers(n, dtype=int)) for n in (0, 1, 7, 131)])
@somd
def extrema_of_copies(key: A, value: A):
    high: shared[np.ndarray] = np.full(5, -100)
    low: shared[np.ndarray] = np.full(5, 100)
    with sync(high, reduce="max"):
        for i in range(len(key)):
            high[key[i]] = max(value[i], high[key[i]])
            if value[i] * 2 >= high[key[i]]:
                high[key[i]] = value[i] * 2
    with sync(low, reduce="min"):
        for i in range(len(key)):
            low[key[i]] = low[key[i]] if low[key[i]] < value[i] else value[i]
    return high, low
