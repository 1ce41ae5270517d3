"""Functions of NumPy that Python calls between loops: what they take and give, and what they raise."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import numbers, program, spaced

A = dist[np.ndarray]


@program(
    lambda: [(numbers(n), numbers(n, seed=2)) for n in (1, 2, 7, 131)] + [(numbers(3), numbers(4)), (numbers(0),) * 2]
)
@somd
def sorted_sums(a, b):
    c = np.sort(a + b)
    middle = np.median(c)
    order = np.argsort(c[::-2])
    c[::-2] = c[::-2][order] - middle
    return c, order


@program(
    lambda: [
        (numbers(n, dtype=dtype, low=-3, high=3), k)
        for n, k in ((1, 0), (2, 1), (40, 1), (40, 2))
        for dtype in (np.int64, np.uint8, np.float32)
    ]
)
@somd
def values_and_counts(a, k: int):
    a, where, counts = np.unique(a, return_inverse=True, return_counts=True)
    quarters = np.percentile(a, [25.0, 50.0, 75.0])
    return a * 2, a[where], counts, quarters[k]


@program(lambda: [(numbers(4, 4), numbers(4)), (np.ones((4, 4)), numbers(4)), (numbers(3, 3), numbers(4))])
@somd
def solved(m, b):
    x = np.linalg.solve(m + np.eye(len(m)), b)
    sign, size = np.linalg.slogdet(m)
    return x - b, sign * size


@program(lambda: [(numbers(n) + 1j * numbers(n, seed=3), np.complex64(2 - 1j), True) for n in (1, 8, 33)])
@somd
def kinds_of_numbers(z, c: np.complex64, up: bool):
    s = np.array([z[0], c, 3, 1j * up])
    w = np.append(np.real(z), [float(up), 0.5])
    found = np.searchsorted(np.sort(w), np.float32(0.25))
    n = np.flatnonzero(w > 0.0)
    return s * 2, w - 1, found, n + found


@program(lambda: [(numbers(6, 4), 3), (numbers(4, 6)[::-1], 4), (spaced(numbers(3, 4)), 2), (numbers(6, 4), 5)])
@somd
def other_shapes(a, n: int):
    means = a.reshape(n, -1).mean(axis=1)
    line = (a * 2.0).ravel()
    line[1:] += line[:-1]
    turned = np.ascontiguousarray(a.T) + 1.0
    return means, line, turned.reshape(-1)[::2]


@program(lambda: [(np.abs(numbers(n)) + 3.0, k) for n in (1, 5, 50) for k in (0, 4)])
@somd
def in_loops(a, k: int):
    out = np.zeros((k, 2))
    turns = 0
    while np.median(a) > 1.0:
        a *= 0.5
        turns += 1
    for t in range(k):
        a[1:] = 0.5 * (a[1:] + a[:-1])
        low, high = np.percentile(a, 25), np.max(np.gradient(np.append(a, [0.0, 1.0])))
        out[t] = np.array([low, high])
    return turns, out, a.sum()


@program(lambda: [(numbers(7, 5), np.zeros(7)), (numbers(0, 5), np.zeros(0)), (numbers(3, 1), np.zeros(3))])
@somd
def medians_of_rows(a: A, out: A):
    for i in range(len(a)):
        out[i] = np.median(a[i])
    return np.maximum.accumulate(out) - out


@program(lambda: [(numbers(20), np.array([1.0, 2.0, 1.0])), (numbers(20), np.zeros(0)), (numbers(2), numbers(5))])
@somd
def smoothed(a, kernel):
    (where,) = np.nonzero(kernel > 0.0)
    return np.convolve(a * 0.5, kernel, mode="same") + 1.0, kernel[where] * 2.0
