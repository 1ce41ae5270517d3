"""Partial results, one of each method instance, reduced by the method itself or by a function of the user's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from somd import ByKey, Chunked, dist, like, partition, reduce, somd, sync
from tests.language.program import SIZES, numbers, program, reverse, spaced

A = dist[np.ndarray]


def vectors(*more, dtype=float, low=-9, high=9, sizes=SIZES):
    return [(numbers(n, dtype=dtype, low=low, high=high), *more) for n in sizes]


def filled(*more, dtype=float, low=-9, high=9):
    return vectors(*more, dtype=dtype, low=low, high=high, sizes=[n for n in SIZES if n])


# --- self -------------------------------------------------------------------------------------------------------


@program(lambda: filled(dtype=np.int64) + filled(dtype=np.uint8, high=255) + [(reverse(numbers(50, dtype=np.int32)),)])
@somd
def sum_by_itself(a: A) -> Annotated[int, reduce("self")]:
    total = 0
    for i in range(len(a)):
        total += a[i]
    return total


@program(lambda: vectors() + [(spaced(numbers(77)),)], rtol=1e-12)
@somd
def norm_by_itself(a: A) -> Annotated[float, reduce("self")]:
    total = 0.0
    for x in a:
        total += x * x
    return np.sqrt(total)


@program(lambda: filled(0.5) + filled(-3.0, dtype=np.float32))
@somd
def nearest_by_itself(a: A, goal: float) -> Annotated[float, reduce("self")]:
    best = a[0]
    for i in range(len(a)):
        if abs(a[i] - goal) < abs(best - goal):
            best = a[i]
    return best


# --- a function -------------------------------------------------------------------------------------------------


def hypotenuse(partials: Sequence[float]) -> float:
    return math.hypot(*partials)


@program(lambda: vectors(), rtol=1e-12)
@somd
def norm_by_hypotenuse(a: A) -> Annotated[float, reduce(hypotenuse)]:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * a[i]
    return math.sqrt(total)


Run = tuple[int, int, int, int]


def merge_runs(partials: Sequence[Run]) -> Run:
    """(length, run at the start, run at the end, longest run) of neighbours."""
    count, head, tail, best = partials[0]
    for length, first, last, longest in partials[1:]:
        best = max(best, longest, tail + first)
        head = head + first if head == count else head
        tail = tail + last if last == length else last
        count += length
    return count, head, tail, best


@program(lambda: vectors(0, dtype=np.int8, low=-1, high=3) + [(np.ones(50), 0.0), (np.zeros(9), 0.0)])
@somd
def longest_run(a: A, level: float) -> Annotated[Run, reduce(merge_runs)]:
    head = 0
    run = 0
    best = 0
    count = 0
    for i in range(len(a)):
        run = run + 1 if a[i] > level else 0
        best = max(best, run)
        count += 1
        if run == count:
            head = run
    return count, head, run, best


Moments = tuple[int, float, float]


def merge_moments(partials: Sequence[Moments]) -> Moments:
    n, mean, m2 = partials[0]
    for k, other, squares in partials[1:]:
        delta = other - mean
        m2 += squares + delta * delta * n * k / (n + k)
        mean += delta * k / (n + k)
        n += k
    return n, mean, m2


@program(lambda: filled(low=100, high=101), rtol=1e-9)
@somd
def welford(a: A) -> Annotated[Moments, reduce(merge_moments)]:
    n = 0
    mean = 0.0
    m2 = 0.0
    for i in range(len(a)):
        n += 1
        delta = a[i] - mean
        mean += delta / n
        m2 += delta * (a[i] - mean)
    return n, mean, m2


def greatest(partials: Sequence[tuple[float, int]]) -> tuple[float, int]:
    return max(partials, key=lambda partial: (partial[0], -partial[1]))


@program(lambda: vectors(dtype=np.float32, low=0) + vectors(dtype=np.int16, low=0, high=3))
@somd
def place_of_maximum(a: A) -> Annotated[tuple[float, int], reduce(greatest)]:
    if len(a) == 0:
        return 0.0, -1
    best = a[0]
    at = 0
    for i in range(len(a)):
        if a[i] > best:
            best = a[i]
            at = i
    return float(best), at


def weighted(partials: Sequence[float], goal: float, far: float) -> float:
    return min((x for x in partials if abs(x - goal) < far), key=lambda x: abs(x - goal), default=partials[0])


@program(lambda: filled() + filled(dtype=np.float32))
@somd
def nearest_by_function(a: A) -> Annotated[float, reduce(weighted, 2.5, 100.0)]:
    best = a[0]
    for i in range(1, len(a)):
        if abs(a[i] - 2.5) < abs(best - 2.5):
            best = a[i]
    return best


def last(partials: Sequence[Any]) -> Any:
    return partials[-1]


@program(lambda: vectors(dtype=np.int64) + vectors(dtype=bool))
@somd
def last_element(a: A) -> Annotated[Any, reduce(last)]:
    latest = False
    for i in range(len(a)):
        latest = bool(a[i] > 0)
    return latest


@program(lambda: vectors(2.0) + vectors(-1.0, dtype=np.float32))
@somd
def count_crossings(a: A, level: float) -> Annotated[int, reduce(sum)]:
    crossings = 0
    for i in range(1, len(a)):
        above = a[i] > level
        before = a[i - 1] > level
        if above == before:
            continue
        crossings += 1
    return crossings


@program(lambda: filled() + filled(dtype=np.int32))
@somd
def lowest_backwards(a: A) -> Annotated[float, reduce(min)]:
    low = a[0]
    for i in range(len(a) - 1, -1, -3):
        low = min(low, a[i])
    return low


@program(lambda: [(numbers(n, m),) for n, m in ((1, 1), (1, 9), (9, 1), (20, 30), (0, 3))])
@somd
def longest_row_run(a: A) -> Annotated[int, reduce(max)]:
    best = 0
    for i in range(a.shape[0]):
        run = 0
        for j in range(a.shape[1]):
            run = run + 1 if a[i, j] > 0 else 0
            best = max(best, run)
    return best


@program(lambda: [(numbers(n), numbers(n, seed=1), numbers(n, dtype=np.int64, low=0, high=n - 1)) for n in (1, 9, 131)])
@somd
def writes_and_gathers(a: A, b: A, at: A) -> Annotated[float, reduce(max)]:
    step = 0.0
    for i in range(len(a)):
        k = at[i]
        a[i] = b[k] * 0.5
        while step < abs(a[i]):
            step += 0.25
    return step


@program(lambda: filled(), rtol=1e-12)
@somd
def peak_of_normalised(a: A) -> Annotated[float, reduce(max)]:
    norm = 0.0
    for i in range(len(a)):
        norm += a[i] * a[i]
    for _ in range(2):
        with sync:
            for i in range(len(a)):
                a[i] = a[i] * 0.5
    peak = -math.inf
    for i in range(len(a)):
        if a[i] > peak:
            peak = a[i]
    if norm > 0.0:
        return peak / math.sqrt(norm)
    return peak


# --- tuples -----------------------------------------------------------------------------------------------------


@program(lambda: filled(dtype=np.int64))
@somd
def total_and_largest(a: A) -> tuple[Annotated[int, reduce("+")], Annotated[int, reduce("max")], np.ndarray, int]:
    c = np.empty_like(a)
    total = 0
    largest = a[0]
    for i in range(len(a)):
        c[i] = a[i] + 1
        total += a[i]
        largest = max(largest, a[i])
    return total, largest, c, len(a)


@program(lambda: filled(dtype=np.int64))
@somd
def by_function_each(
    a: A,
) -> tuple[Annotated[int, reduce(sum)], Annotated[int, reduce(max)], Annotated[int, reduce(last)]]:
    total = 0
    largest = a[0]
    final = a[0]
    for i in range(len(a)):
        total += a[i]
        largest = max(largest, a[i])
        final = a[i]
    return total, largest, final


# --- partitions -------------------------------------------------------------------------------------------------


def keys(*lengths: int) -> np.ndarray:
    return np.repeat(np.arange(len(lengths)), lengths)


@program(
    lambda: [
        (key, numbers(len(key), dtype=np.int64), np.zeros(9, np.int64))
        for key in (keys(), keys(1), keys(3, 1, 0, 7, 2, 2, 40, 1, 5))
    ]
)
@somd
def groups(
    key: Annotated[np.ndarray, dist, partition(ByKey)], value: Annotated[np.ndarray, dist, like("key")], out: np.ndarray
) -> Annotated[int, reduce(sum)]:
    count = 0
    before = -1
    for i in range(len(key)):
        if key[i] != before:
            count += 1
            before = key[i]
        out[key[i]] += value[i]
    return count


@program(lambda: vectors(dtype=np.int64))
@somd
def chunks(a: Annotated[np.ndarray, dist, partition(Chunked(5))]) -> Annotated[tuple[int, int], reduce(last)]:
    most = 0
    index = -1
    for i in range(len(a)):
        most = int(a[i])
        index = i
    return most, index
