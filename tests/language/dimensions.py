"""More than three dimensions, and conditions of uniform branches that make loops independent."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]
BLOCKS = ((2, 3, 4, 5), (1, 1, 1, 1), (0, 2, 2, 2), (7, 1, 2, 3))


@program(lambda: [(numbers(*s), numbers(*s, seed=1)) for s in BLOCKS])
@somd
def four_dimensions(a: A, b: A) -> int:
    count = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                for m in range(1, a.shape[3]):
                    b[i, j, k, m] = a[i, j, k, m - 1] * 2.0
                    if b[i, j, k, m] > 1.0:
                        count += 1
    return count


@program(lambda: [(numbers(2, 2, 3, 2, 4), numbers(2, 2, 3, 2, 4, seed=1), np.array([2, 0, -1]))])
@somd
def five_dimensions(a: A, b: A, place: A) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                for m in range(a.shape[3]):
                    for n in range(a.shape[4]):
                        b[i, j, k, m, n] = a[i, j, place[k], m, n] - b[i, j, k, m, n]


@program(lambda: [(numbers(2, 3, 4, 3),)])
@somd
def wavefront_in_four_dimensions(a: A) -> None:
    """The first and third axis carry a dependence; the others are distributed."""
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(1, a.shape[2]):
                for m in range(a.shape[3]):
                    a[i, j, k, m] = a[i, j, k, m] + a[i - 1, j, k - 1, m]


@program(lambda: [(numbers(n), k) for n in SIZES for k in (0, 3, 200)])
@somd
def shift_or_fill(a: A, far: int) -> None:
    """The shift is by more than half the length: what is read is not written."""
    if 2 * far >= len(a):
        for i in range(len(a) - far):
            a[i] = a[i + far]
    else:
        for i in range(len(a)):
            a[i] = -1.0


@program(lambda: [(numbers(n), k) for n in SIZES for k in (-3, 0, 1, 2)])
@somd
def apart_under_a_condition(a: A, gap: int) -> None:
    if gap > 0 and gap < 2:
        for i in range(0, len(a) - gap, 2):
            a[i] = a[i + gap] * 0.5


def _after_others(*first):
    return lambda: [(*first, numbers(n)) for n in SIZES]


@program(lambda: [(*(numbers(n, seed=k) for k in range(3)), numbers(m)) for n, m in ((5, 131), (131, 5), (0, 7))])
@somd
def length_of_the_last_array(a: A, b: A, c: A, d: A) -> None:
    for i in range(len(a)):
        a[i] = b[i]
    for i in range(len(d)):
        d[i] = 1.0


@program(_after_others(0.5, 1.5, 2.5))
@somd
def length_after_scalars(alpha: float, beta: float, gamma: float, u: A) -> None:
    for i in range(len(u)):
        u[i] = 0.0


@program(_after_others(numbers(3, 3), 2))
@somd
def dimensions_of_another_array(g: np.ndarray, n: int, a: A) -> None:
    for t in range(n):
        for i in range(a.shape[0] - a.ndim):
            a[i] += 1.0 + a.ndim
