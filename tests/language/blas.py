"""Vectors and matrices."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dim, dist, reduce, shared, somd, sync
from tests.language.program import SHAPES, SIZES, SQUARES, fortran, numbers, program, reverse, spaced

A = dist[np.ndarray]


def pairs(dtype=float):
    return [(numbers(n, dtype=dtype), numbers(n, dtype=dtype, seed=1)) for n in SIZES]


def nonempty(dtype=float):
    return [case for case in pairs(dtype) if len(case[0])]


def matrices(dtype=float):
    return [(numbers(n, m, dtype=dtype),) for n, m in SHAPES]


@program(lambda: pairs() + pairs(np.float32) + [(spaced(numbers(9)), reverse(numbers(9)))])
@somd
def vector_add(a: A, b: A) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


@program(lambda: [(0.1, *p) for p in pairs()] + [(0.1, *p) for p in pairs(np.float32)])
@somd
def axpy(alpha: float, x: A, y: A) -> None:
    for i in range(len(x)):
        y[i] += alpha * x[i]


@program(lambda: [(numbers(9), 2), (spaced(numbers(9, dtype=np.int32)), 3)])
@somd
def scal(x: A, alpha: float) -> None:
    for i in range(len(x)):
        x[i] = alpha * x[i]


@program(pairs)
@somd
def swap_elements(x: A, y: A) -> None:
    for i in range(len(x)):
        x[i], y[i] = y[i], x[i]


@program(lambda: nonempty(), rtol=1e-12)
@somd
def dot(x: A, y: A) -> Annotated[float, reduce("+")]:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@program(lambda: nonempty(np.float32), rtol=1e-5)
@somd
def dot_float32(x: A, y: A) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@program(lambda: [c[:1] for c in nonempty()], rtol=1e-12)
@somd
def nrm2(x: A) -> float:
    s: shared[float] = 0.0
    with sync(s, reduce="+"):
        for i in range(len(x)):
            s += x[i] * x[i]
    return np.sqrt(s)


@program(lambda: [c[:1] for c in nonempty(np.float32)] + [(numbers(5) + 9,)], rtol=1e-5)
@somd
def normalize(a: A) -> np.ndarray:
    norm: shared[float] = 0.0
    with sync(norm, reduce="+"):
        for i in range(len(a)):
            norm += a[i] * a[i]
    norm = np.sqrt(norm)
    for i in range(len(a)):
        a[i] = a[i] / norm
    return a


@program(lambda: [c[:1] for c in nonempty()], rtol=1e-12)
@somd
def asum(x: A) -> float:
    s = 0.0
    for i in range(len(x)):
        s = s + abs(x[i])
    return s


@program(lambda: [(numbers(n, m), numbers(m), numbers(n)) for n, m in SHAPES])
@somd
def gemv(a: A, x: np.ndarray, y: A) -> None:
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j] * x[j]
        y[i] = s


@program(lambda: [(numbers(n, m), numbers(n), numbers(m)) for n, m in SHAPES])
@somd
def gemv_transposed(a: Annotated[np.ndarray, dist, dim(1)], x: np.ndarray, y: A) -> None:
    for j in range(a.shape[1]):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i, j] * x[i]
        y[j] = s


@program(lambda: [(numbers(n, k), numbers(k, m)) for n, m in SHAPES for k in (0, 1, 6)])
@somd
def gemm(a: A, b: np.ndarray) -> np.ndarray:
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


@program(lambda: [(numbers(n, k), fortran(numbers(k, m)), numbers(n, m)) for n, m in SHAPES for k in (0, 6)])
@somd
def gemm_ikj(a: A, b: np.ndarray, c: A) -> None:
    n, m = c.shape
    for i in range(n):
        for k in range(a.shape[1]):
            for j in range(m):
                c[i, j] += a[i, k] * b[k, j]


@program(lambda: [(numbers(n, m), numbers(n, n)) for n, m in SHAPES])
@somd
def syrk_lower(a: A, c: A) -> None:
    for i in range(a.shape[0]):
        for j in range(i + 1):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * a[j, k]
            c[i, j] = s


@program(lambda: [(numbers(n, n),) for n in SQUARES])
@somd
def symmetrise(a: A) -> None:
    for i in range(a.shape[0]):
        for j in range(i):
            a[j, i] = a[i, j]


@program(lambda: matrices(np.int32) + [(fortran(numbers(4, 5)),)])
@somd
def transpose(a: A) -> np.ndarray:
    t = np.zeros((a.shape[1], a.shape[0]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            t[j, i] = a[i, j]
    return t


@program(lambda: matrices() + [(fortran(numbers(5, 7)),)])
@somd
def row_sums(a: A) -> np.ndarray:
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i] += a[i, j]
    return out


@program(matrices)
@somd
def column_sums(a: Annotated[np.ndarray, dist, dim(1)]) -> np.ndarray:
    out = np.zeros(a.shape[1])
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            out[j] += a[i, j]
    return out


@program(matrices)
@somd
def column_sums_by_rows(a: Annotated[np.ndarray, dist, dim(1)]) -> np.ndarray:
    sums = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            sums[j] += a[i, j]
    return sums


@program(lambda: [(numbers(n), numbers(m)) for n, m in SHAPES])
@somd
def outer(x: A, y: A) -> np.ndarray:
    z = np.empty((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            z[i, j] = x[i] * y[j]
    return z


@program(lambda: [(numbers(n, n), numbers(n)) for n in SQUARES])
@somd
def solve_lower_by_columns(a: A, b: A) -> None:
    n = a.shape[0]
    for k in range(n):
        b[k] = b[k] / a[k, k]
        for i in range(k + 1, n):
            b[i] -= a[i, k] * b[k]


@program(lambda: [(numbers(n, n) + 20 * np.eye(n),) for n in SQUARES])
@somd
def lu_without_pivoting(a: A) -> None:
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


@program(lambda: [(numbers(n, n),) for n in SQUARES if n], rtol=1e-12)
@somd
def frobenius_and_trace(a: A):
    total = 0.0
    trace = 0.0
    for i in range(a.shape[0]):
        trace += a[i, i]
        for j in range(a.shape[1]):
            total += a[i, j] ** 2
    return np.sqrt(total), trace


@program(lambda: [(numbers(n, n), numbers(n)) for n in SQUARES])
@somd
def scale_rows_and_columns(a: Annotated[np.ndarray, dist, dim(0, 1)], d: np.ndarray) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = d[i] * a[i, j] * d[j]


@program(lambda: [(numbers(m, n), numbers(n, n)) for n, m in ((0, 2), (1, 0), (9, 6), (8, 5))])
@somd
def gram_above_the_diagonal(a: A, c: A) -> None:
    for i in range(c.shape[0]):
        c[i, i] = 1.0
        for j in range(i + 1, c.shape[1]):
            for k in range(a.shape[0]):
                c[i, j] += a[k, i] * a[k, j]
            c[j, i] = c[i, j]


@program(lambda: [(numbers(n, m), numbers(m, m)) for n, m in ((0, 2), (1, 1), (9, 41), (6, 11))])
@somd
def products_of_columns(a: np.ndarray, c: A) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[0]):
            s = 0.0
            for k in range(a.shape[0]):
                s += a[k, i] * a[k, j]
            c[i, j] = s / 3.0


@program(lambda: [(numbers(m, n), numbers(n, n, seed=1)) for n, m in ((0, 2), (1, 1), (9, 6), (6, 11))])
@somd
def rows_times_matrix(a: A, b: np.ndarray) -> None:
    for i in range(a.shape[0]):
        row = np.zeros(a.shape[1])
        for p in range(a.shape[1]):
            for s in range(a.shape[1]):
                row[p] += a[i, s] * b[s, p]
        for p in range(a.shape[1]):
            a[i, p] = row[p]
