"""Loops whose step is an argument or changes from loop to loop, forward and backward."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]
STEPS = (1, 3, 200, -1, -4)


@program(lambda: [(np.zeros(n, bool),) for n in (2, 3, 7, 131, 1000)])
@somd
def sieve(composite: A) -> int:
    n = len(composite)
    count = 0
    for p in range(2, int(math.sqrt(n)) + 1):
        if not composite[p]:
            for m in range(p * p, n, p):
                composite[m] = True
    for k in range(2, n):
        if not composite[k]:
            count += 1
    return count


@program(
    lambda: [(numbers(n), np.zeros(n), n - 1 if s < 0 else 0, -1 if s < 0 else n, s) for n in SIZES for s in STEPS]
)
@somd
def every(a: A, out: A, first: int, last: int, step: int) -> None:
    for i in range(first, last, step):
        out[i] = a[i] * 2.0 + i


@program(lambda: [(numbers(n, dtype=np.int64), s) for n in SIZES for s in (1, 3, 200)])
@somd
def sum_of_every(a: A, step: int) -> int:
    total = 0
    for i in range(0, len(a), step):
        total += int(a[i])
    return total


@program(lambda: [(numbers(r, c), s) for r, c in ((0, 0), (1, 4), (7, 5), (23, 3)) for s in (1, 2, 50)])
@somd
def rows_by_an_argument(m: A, step: int) -> None:
    for i in range(0, m.shape[0], step):
        for j in range(m.shape[1]):
            m[i, j] = m[i, j] * 2.0 + i


@program(lambda: [(numbers(n), np.int8(s)) for n in SIZES for s in (1, 100)])
@somd
def step_of_a_narrow_type(a: A, step: int) -> None:
    for i in range(0, len(a), step):
        a[i] = a[i] + 1.0


@program(lambda: [(numbers(1 << k),) for k in (0, 1, 3, 6)], rtol=1e-13)
@somd
def walsh_hadamard(a: A) -> None:
    """Butterflies over blocks that double from pass to pass; the loop over a block is distributed."""
    half = 1
    while half < len(a):
        for start in range(0, len(a), 2 * half):
            for j in range(half):
                x = a[start + j]
                y = a[start + j + half]
                a[start + j] = x + y
                a[start + j + half] = x - y
        half = half * 2


@program(lambda: [(numbers(n), b) for n in SIZES for b in (1, 4)])
@somd
def sums_of_blocks(a: A, width: int) -> None:
    """Written at the block's start only, by the loop that no other block meets."""
    for i in range(0, len(a) - width + 1, width):
        total = 0.0
        for j in range(width):
            total += 1.0
        a[i] = total
