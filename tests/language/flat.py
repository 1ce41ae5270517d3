"""Matrices laid out by hand in one dimension: `a[i * m + j]`."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import numbers, program

A = dist[np.ndarray]
SHAPES = ((0, 0, 0), (1, 1, 1), (5, 4, 7), (23, 3, 2))


@program(lambda: [(numbers(n * k), numbers(k * m, seed=1), np.zeros(n * m), n, m, k) for n, m, k in SHAPES])
@somd
def flat_product(a: A, b: A, c: A, n: int, m: int, k: int) -> None:
    for i in range(n):
        for j in range(m):
            total = 0.0
            for p in range(k):
                total += a[i * k + p] * b[p * m + j]
            c[i * m + j] = total


@program(lambda: [(numbers(h * w), np.zeros(h * w), w, h) for h, w, _ in SHAPES])
@somd
def flat_heat(a: A, b: A, width: int, height: int) -> None:
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            around = a[(y - 1) * width + x] + a[(y + 1) * width + x] + a[y * width + x - 1] + a[y * width + x + 1]
            b[y * width + x] = 0.25 * around


@program(lambda: [(numbers(h * w), w, h) for h, w, _ in SHAPES])
@somd
def flat_sweep(a: A, width: int, height: int) -> None:
    """Rows carry a dependence; the elements of a row are distributed."""
    for y in range(1, height):
        for x in range(width):
            a[y * width + x] += a[(y - 1) * width + x]


@program(lambda: [(numbers(n * m * k), n, m, k) for n, m, k in SHAPES])
@somd
def flat_in_three_dimensions(a: A, n: int, m: int, k: int) -> None:
    for i in range(n):
        for j in range(m):
            for p in range(k):
                a[(i * m + j) * k + p] = a[i * m * k + j * k + p] + i - p


@program(lambda: [(numbers(h * w), w, h) for h, w, _ in SHAPES])
@somd
def flat_first_row_added(a: A, width: int, height: int) -> None:
    for y in range(1, height):
        for x in range(width):
            a[y * width + x] += a[x]


@program(lambda: [(numbers(h * w), numbers(h, w, seed=1)) for h, w, _ in SHAPES])
@somd
def flat_beside_a_matrix(flat: A, matrix: A) -> None:
    width = matrix.shape[1]
    for i in range(matrix.shape[0]):
        for j in range(width):
            flat[i * width + j] = matrix[i, j] * 2.0
