"""Scalars accumulated over loops."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from somd import dist, reduce, shared, somd, sync
from tests.language.program import SIZES, numbers, program, reverse, spaced

A = dist[np.ndarray]


def vectors(*more, dtype=float, low=-9, high=9):
    return [(numbers(n, dtype=dtype, low=low, high=high), *more) for n in SIZES if n]


def special(*values, dtype=float):
    return [(np.array(values, dtype),)]


@program(lambda: vectors() + special(1, math.nan, 5, math.nan) + special(math.nan, 1, 5) + special(-0.0, 0.0))
@somd
def maximum(a: A) -> float:
    best = a[0]
    for i in range(len(a)):
        best = max(best, a[i])
    return best


@program(lambda: vectors(dtype=np.float32) + special(math.inf, math.inf, dtype=np.float32))
@somd
def minimum_by_comparison(a: A) -> float:
    best = a[0]
    for i in range(1, len(a)):
        if a[i] < best:
            best = a[i]
    return best


@program(lambda: vectors(dtype=np.int64) + vectors(dtype=np.uint8, high=255))
@somd
def range_of_values(a: A):
    low = a[0]
    high = a[0]
    for i in range(len(a)):
        low = min(low, a[i])
        high = max(high, a[i])
    return low, high


@program(lambda: vectors(dtype=np.int64) + vectors(dtype=np.int8, low=-128, high=127))
@somd
def integer_sum(a: A) -> Annotated[int, reduce("+")]:
    s = 0
    for i in range(len(a)):
        s += a[i]
    return s


@program(lambda: vectors(dtype=np.uint16, low=1, high=9))
@somd
def integer_product(a: A) -> Annotated[int, reduce("*")]:
    p = 1
    for i in range(len(a)):
        p *= a[i]
    return p


@program(lambda: vectors(low=0.8, high=1.2), rtol=1e-12)
@somd
def product(a: A) -> float:
    p = 1.0
    for i in range(len(a)):
        p = p * a[i]
    return p


@program(lambda: vectors(dtype=np.int64, low=-5, high=2**40) + vectors(dtype=np.int16))
@somd
def all_bits(a: A):
    every = -1
    some = 0
    odd = 0
    for i in range(len(a)):
        every &= a[i]
        some |= a[i]
        odd ^= a[i]
    return int(every), some, odd


@program(lambda: [(np.zeros(4),), (numbers(9),), (np.ones(77),), (numbers(131, low=1),)])
@somd
def all_and_any(a: A):
    every = True
    some = False
    for i in range(len(a)):
        every = every and a[i] > 0.5
        some = some or a[i] > 0.5
    return every, some


@program(lambda: vectors(0.0) + [(numbers(0), 0.0)])
@somd
def count_above(a: A, level: float) -> int:
    count = 0
    for i in range(len(a)):
        if a[i] > level:
            count += 1
    return count


@program(lambda: vectors(), rtol=1e-11)
@somd
def mean_and_variance(a: A):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    mean = s / len(a)
    v = 0.0
    for i in range(len(a)):
        v += (a[i] - mean) ** 2
    return mean, v / len(a)


@program(lambda: [(numbers(n), numbers(n, seed=1)) for n in SIZES if n > 1], rtol=1e-10)
@somd
def linear_regression(x: A, y: A):
    n = len(x)
    sx = 0.0
    sy = 0.0
    sxx = 0.0
    sxy = 0.0
    for i in range(n):
        sx += x[i]
        sy += y[i]
        sxx += x[i] * x[i]
        sxy += x[i] * y[i]
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return slope, (sy - slope * sx) / n


@program(lambda: [(1,), (1000,), (4099,)], rtol=1e-12)
@somd
def pi_by_midpoints(n: int) -> float:
    x = np.zeros(n)
    s = 0.0
    for i in range(n):
        x[i] = (i + 0.5) / n
        s += 4.0 / (1.0 + x[i] * x[i])
    return s / max(n, 1)


@program(lambda: vectors(), rtol=1e-12)
@somd
def alternating_sum(a: A) -> float:
    s = 0.0
    for i in range(len(a)):
        if i % 2 == 0:
            s += a[i]
        else:
            s -= a[i]
    return s


@program(lambda: vectors(), rtol=1e-12)
@somd
def subtracted(a: A) -> Annotated[float, reduce("-")]:
    s = 100.0
    for i in range(len(a)):
        s -= a[i]
    return s


@program(lambda: [(numbers(n, m),) for n, m in ((1, 1), (1, 9), (9, 1), (20, 30))], rtol=1e-12)
@somd
def sum_of_rows_maxima(a: A) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        best = a[i, 0]
        for j in range(1, a.shape[1]):
            best = max(best, a[i, j])
        total += best
    return total


@program(lambda: [(numbers(n, n),) for n in (1, 2, 9, 40)], rtol=1e-12)
@somd
def lower_triangle_sum(a: A) -> float:
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(i + 1):
            s += a[i, j]
    return s


@program(lambda: [(reverse(numbers(50)),), (spaced(numbers(7)),)], rtol=1e-12)
@somd
def every_third_backwards(a: A) -> float:
    s = 0.0
    for i in range(len(a) - 1, -1, -3):
        s += a[i]
    return s


@program(lambda: vectors(), rtol=1e-12)
@somd
def shared_between_phases(a: A) -> np.ndarray:
    total: shared[float] = 0.0
    with sync(total, reduce="+"):
        for i in range(len(a)):
            total += abs(a[i])
    high: shared[float] = 0.0
    with sync(high, reduce="max"):
        for i in range(len(a)):
            high = max(high, a[i] / total)
    for i in range(len(a)):
        a[i] = a[i] / total + high
    return a


@program(lambda: [(numbers(n), steps) for n in SIZES if n for steps in (0, 1, 5)], rtol=1e-11)
@somd
def power_iteration_on_a_diagonal(d: A, steps: int) -> float:
    x = np.ones(len(d))
    norm = 0.0
    for t in range(steps):
        norm = 0.0
        for i in range(len(d)):
            x[i] = d[i] * x[i]
            norm += x[i] * x[i]
        norm = math.sqrt(norm)
        for i in range(len(d)):
            x[i] = x[i] / norm
    return float(norm)


@program(lambda: vectors(dtype=np.float32), rtol=1e-5)
@somd
def float32_sum_in_double(a: A) -> float:
    s = np.float64(0.0)
    for i in range(len(a)):
        s += a[i]
    return s
