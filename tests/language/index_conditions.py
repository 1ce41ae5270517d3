"""Conditions on arithmetic of the index, in loops of both directions; loops inside whose trips meet in an element."""

from __future__ import annotations

import numpy as np

from somd import dist, somd, sync
from tests.language.program import numbers, program

A = dist[np.ndarray]
#: full groups of 16 work-items, and parts of them
LENGTHS = (1, 2, 5, 8, 17, 33, 64, 100)


def vectors(*more):
    return [(numbers(n), n, *more) for n in LENGTHS]


def squares(*more):
    return [(numbers(n, n), n, *more) for n in (1, 4, 17, 20)]


@program(lambda: vectors(5))
@somd
def descending_beyond(a: A, n: int, m: int) -> np.ndarray:
    c = np.zeros(n)
    for i in range(n - 1, -1, -1):
        if i > m:
            c[i] = a[i]
    return c


@program(lambda: vectors(5))
@somd
def distance_from_the_end(a: A, n: int, m: int) -> np.ndarray:
    c = np.zeros(n)
    for i in range(n):
        if n - i > m:
            c[i] = a[i]
    return c


@program(lambda: vectors(5))
@somd
def between_two_distances(a: A, n: int, m: int) -> np.ndarray:
    c = np.zeros(n)
    for i in reversed(range(n)):
        if i < 3 * m and n - 1 - i >= m:
            c[i] = 2.0 * a[i]
    return c


@program(lambda: vectors(4))
@somd
def descending_by_twos(a: A, n: int, m: int) -> np.ndarray:
    c = np.zeros(n)
    for i in range(n - 1, 0, -2):
        if m < n - i:
            if m - i < 9:
                c[i] = a[i] + i
    return c


@program(lambda: vectors(3))
@somd
def continued_behind_a_distance(a: A, n: int, m: int) -> None:
    for i in range(n - 1, -1, -1):
        if n - i <= m:
            continue
        a[i] = a[i] * 2.0


@program(lambda: vectors())
@somd
def descending_triangle(a: A, n: int) -> np.ndarray:
    c = np.zeros(n)
    for i in reversed(range(n)):
        for j in range(i):
            if n - j > 4:
                c[i] = c[i] + a[j] * 0.1
    return c


@program(lambda: squares(2))
@somd
def grid_of_triangles(g: A, n: int, m: int) -> None:
    for i in range(n - 1, -1, -1):
        for j in range(i, n):
            if j - i >= m:
                g[i, j] = g[i, j] * 2.0
    for i in range(n):
        for j in range(n - 1, i, -1):
            if n - i - j > m:
                g[i, j] = g[i, j] + 1.0


@program(lambda: [(numbers(n, dtype=np.int64), n, 5) for n in LENGTHS])
@somd
def sum_and_histogram(k: A, n: int, m: int) -> tuple[int, np.ndarray]:
    total = np.int64(0)
    for i in range(n - 1, -1, -1):
        if n - i > m:
            total += k[i]
    h = np.zeros(7, np.int64)
    with sync(h, reduce="+"):
        for i in range(n - 1, -1, -1):
            if m - i < 2:
                h[k[i] % 7] += i
    return total, h


@program(lambda: vectors())
@somd
def elements_that_trips_share(a: A, n: int) -> np.ndarray:
    c = np.zeros(n)
    for i in range(n):
        w = np.zeros(2)
        for j in range(i):
            w[j % 2] += 1.0
        c[i] = w[0] - 2.0 * w[1] + a[i]
    return c


@program(lambda: vectors())
@somd
def sum_in_an_element(a: A, n: int) -> np.ndarray:
    c = np.zeros(n)
    for i in range(n):
        w = np.zeros(1)
        for j in range(n):
            w[0] += a[j] * 0.1
        c[i] = w[0]
    return c


@program(lambda: vectors())
@somd
def sums_in_a_tuple(a: A, n: int) -> np.ndarray:
    c = np.zeros(n)
    for i in range(n):
        p = (np.float64(0.0), np.float64(1.0))
        for j in range(i, n):
            p = (p[0] + a[j] * p[1], p[1] * 0.99)
        c[i] = p[0] - p[1]
    return c


@program(lambda: [(numbers(n), numbers(m), np.zeros(n)) for n in (0, 1, 7, 40) for m in (n - 1, n, n + 3) if m >= 0])
@somd
def asked_again_under_a_condition(a: A, b: A, c: A) -> None:
    for i in range(len(a)):
        if -5.0 <= b[i] and b[i] < 5.0:
            c[i] = a[i] + b[i]


@program(lambda: [(numbers(n, n), numbers(n, n), numbers(n, n)) for n in (1, 4, 17, 40)])
@somd
def rows_chosen_by_a_remainder(out: A, a: A, b: A) -> None:
    # the row is the same for all trips of the loop inside, and taken where the first of them does not take it
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(b.shape[1]):
                if (i + k) % 2 == 0:
                    out[i, k] += a[i, j] * b[j % b.shape[0], k]


@program(lambda: [(numbers(n, n), numbers(n, n), m) for n in (1, 4, 17, 40) for m in (1, 3)])
@somd
def rows_chosen_by_a_quotient(out: A, b: A, m: int) -> None:
    for i in range(out.shape[0]):
        for k in range(b.shape[1]):
            if (i + k) % 3 == 1:
                out[i, k] = b[i // m, k] * 0.5
            elif k % 2 == i % 2:
                out[i, k] -= b[(i + 7) % m, k]
