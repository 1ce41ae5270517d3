"""Loops over arrays, places of extremes, nested methods, private arrays, and bounds that may be below zero."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from somd import dist, reduce, somd
from tests.language.program import SHAPES, SIZES, numbers, program, reverse

A = dist[np.ndarray]


def vectors(*more, dtype=float):
    return [(numbers(n, dtype=dtype), *more) for n in SIZES]


@program(lambda: [case for case in vectors() if len(case[0])], rtol=1e-12)
@somd
def sum_of_elements(a: A) -> float:
    s = 0.0
    for x in a:
        s += x
    return s


@program(lambda: [(numbers(n), numbers(m, seed=1)) for n, m in ((0, 0), (7, 4), (3, 9), (131, 131))])
@somd
def enumerate_and_zip(a: A, b: A) -> None:
    for i, x in enumerate(a):
        a[i] = x + i
    for i, (x, y) in enumerate(zip(a, b)):
        b[i] = x - y


@program(lambda: [(numbers(n), np.zeros(n)) for n in SIZES])
@somd
def counted_backwards(a: A, b: A) -> None:
    for i, x in enumerate(reversed(a)):
        b[i] = x * i
    for i, x in enumerate(reversed(b), 2):
        a[i - 2] += x * i
    for i, (j, x) in enumerate(enumerate(reversed(a), start=5)):
        b[i] = x + i * j
    for i, (j, (x, y)) in enumerate(enumerate(zip(b, b), 1)):
        a[i] = x + i * j


@program(lambda: [(numbers(n, dtype=np.int64),) for n in SIZES if n] + [(np.array([2, 7, 7, 1, 7]),)])
@somd
def place_of_largest(a: A) -> int:
    best = a[0]
    at = 0
    for i in range(len(a)):
        if a[i] > best:
            best = a[i]
            at = i
    return at


@program(lambda: [(np.array([np.nan, 5.0, 2.0]),), (np.array([1.0, np.nan, 0.0, -0.0]),), (np.tile([3.0, 1.0], 300),)])
@somd
def smallest_and_its_place(a: A):
    best = a[0]
    at = 0
    for i in range(len(a)):
        if a[i] < best:
            best = a[i]
            at = i
    return best, at


@somd
def squares(a: A) -> Annotated[float, reduce("+")]:
    s = 0.0
    for i in range(len(a)):
        s += a[i] * a[i]
    return s


@somd
def scaled(a: A, k: float) -> None:
    for i in range(len(a)):
        a[i] = a[i] * k


@program(lambda: [case for case in vectors() if len(case[0])], rtol=1e-12)
@somd
def normalised_by_nested_methods(a: A) -> float:
    n = math.sqrt(squares(a))
    for i in range(len(a)):
        a[i] = a[i] / n
    scaled(a, 2.0)
    return n


@program(lambda: [*vectors(), (reverse(numbers(9)),)])
@somd
def private_array(a: A) -> None:
    for i in range(len(a)):
        t = np.zeros(4)
        for k in range(4):
            t[k] = a[i] * k
        a[i] = t[1] + t[2] * t[3]


@program(lambda: [(numbers(5), lo, hi) for lo, hi in ((0, 5), (-3, 5), (-5, 5), (-3, 0), (2, 4), (4, 2))])
@somd
def start_below_zero(a: A, lo: int, hi: int) -> None:
    for i in range(lo, hi):
        a[i] = 1.0 - 2.0 * a[i]


@program(lambda: [(numbers(n), np.zeros(12), k) for n, k in ((5, 0), (5, 7), (5, -2), (11, -4), (12, -12), (0, 9))])
@somd
def offset_of_any_sign(a: A, b: A, k: int) -> None:
    for i in range(len(a)):
        b[i + k] = a[i]


@program(lambda: [(numbers(n, m), numbers(m)) for n, m in SHAPES])
@somd
def last_row_wins(a: A, row: A) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            row[j] = a[i, j]
            a[i, j] = 0.0


@program(lambda: [(numbers(n), numbers(n, seed=1), numbers(n, seed=2), 4) for n in SIZES])
@somd
def three_buffers_in_turn(a: A, b: A, c: A, steps: int) -> np.ndarray:
    for t in range(steps):
        for i in range(len(a)):
            c[i] = a[i] + b[i] * t
        a, b, c = b, c, a
    return a


@program(lambda: [(numbers(5), numbers(9), 5)])
@somd
def buffers_of_different_lengths(a: A, b: A, n: int) -> int:
    total = 0
    for t in range(3):
        for i in range(min(len(a), len(b))):
            b[i] = a[i] * 0.7 + t
        a, b = b, a
        total = total * 10 + len(a)
    return total
