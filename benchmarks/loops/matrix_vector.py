"""Matrices times vectors: atax, bicg, gemver, gesummv, mvt, spmv."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def atax(A: Array, x: Array, y: Array) -> None:
    """y = A^T (A x)."""
    for j in range(A.shape[1]):
        y[j] = 0.0
    t = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            t[i] += A[i, j] * x[j]
        for j in range(A.shape[1]):
            y[j] += A[i, j] * t[i]


def atax_port(A: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Two nests, so that both can be shared out."""
    m, n = A.shape
    t = np.empty(m)
    for i in range(m):  # prange
        total = 0.0
        for j in range(n):
            total += A[i, j] * x[j]
        t[i] = total
    for j in range(n):  # prange
        y[j] = 0.0
        for i in range(m):
            y[j] += A[i, j] * t[i]


def atax_numpy(A: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    y[:] = (A @ x) @ A


def atax_inputs(random: Random, m: int, n: int) -> tuple[Any, ...]:
    return random.random((m, n)), random.random(n), np.zeros(n)


def bicg(A: Array, p: Array, r: Array, q: Array, s: Array) -> None:
    """s = A^T r and q = A p: the two products of an iteration of BiCGStab."""
    for j in range(A.shape[1]):
        s[j] = 0.0
    for i in range(A.shape[0]):
        q[i] = 0.0
        for j in range(A.shape[1]):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]


def bicg_port(A: np.ndarray, p: np.ndarray, r: np.ndarray, q: np.ndarray, s: np.ndarray) -> None:
    """Two nests, so that both can be shared out."""
    m, n = A.shape
    for j in range(n):  # prange
        s[j] = 0.0
        for i in range(m):
            s[j] += r[i] * A[i, j]
    for i in range(m):  # prange
        total = 0.0
        for j in range(n):
            total += A[i, j] * p[j]
        q[i] = total


def bicg_numpy(A: np.ndarray, p: np.ndarray, r: np.ndarray, q: np.ndarray, s: np.ndarray) -> None:
    s[:] = r @ A
    q[:] = A @ p


def bicg_inputs(random: Random, m: int, n: int) -> tuple[Any, ...]:
    return random.random((m, n)), random.random(n), random.random(m), np.zeros(m), np.zeros(n)


def gemver(
    alpha: float,
    beta: float,
    A: Array,
    u1: Array,
    v1: Array,
    u2: Array,
    v2: Array,
    w: Array,
    x: Array,
    y: Array,
    z: Array,
) -> None:
    """A += u1 v1^T + u2 v2^T; x += beta A^T y + z; w += alpha A x."""
    n = len(x)
    for i in range(n):  # prange
        for j in range(n):
            A[i, j] += u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):  # prange
        for j in range(n):
            x[i] += beta * A[j, i] * y[j]
        x[i] += z[i]
    for i in range(n):  # prange
        for j in range(n):
            w[i] += alpha * A[i, j] * x[j]


def gemver_numpy(
    alpha: float,
    beta: float,
    A: np.ndarray,
    u1: np.ndarray,
    v1: np.ndarray,
    u2: np.ndarray,
    v2: np.ndarray,
    w: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
) -> None:
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * (y @ A) + z
    w += alpha * (A @ x)


def gemver_inputs(random: Random, n: int) -> tuple[Any, ...]:
    return 1.5, 1.2, random.random((n, n)), *(random.random(n) for _ in range(8))


def gesummv(alpha: float, beta: float, A: Array, B: Array, x: Array, y: Array) -> None:
    """y = alpha A x + beta B x."""
    for i in range(len(y)):  # prange
        ax = 0.0
        bx = 0.0
        for j in range(len(x)):
            ax += A[i, j] * x[j]
            bx += B[i, j] * x[j]
        y[i] = alpha * ax + beta * bx


def gesummv_numpy(alpha: float, beta: float, A: np.ndarray, B: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    y[:] = alpha * (A @ x) + beta * (B @ x)


def gesummv_inputs(random: Random, n: int) -> tuple[Any, ...]:
    return 1.5, 1.2, random.random((n, n)), random.random((n, n)), random.random(n), np.zeros(n)


def mvt(x1: Array, x2: Array, y1: Array, y2: Array, A: Array) -> None:
    """x1 += A y1 and x2 += A^T y2."""
    n = len(x1)
    for i in range(n):  # prange
        for j in range(n):
            x1[i] += A[i, j] * y1[j]
    for i in range(n):  # prange
        for j in range(n):
            x2[i] += A[j, i] * y2[j]


def mvt_numpy(x1: np.ndarray, x2: np.ndarray, y1: np.ndarray, y2: np.ndarray, A: np.ndarray) -> None:
    x1 += A @ y1
    x2 += y2 @ A


def mvt_inputs(random: Random, n: int) -> tuple[Any, ...]:
    return *(random.random(n) for _ in range(4)), random.random((n, n))


def spmv(start: Array, column: Array, value: Array, x: Array, y: Array) -> None:
    """y = A x, the rows of A compressed: row i is column and value from start[i] to start[i + 1]."""
    for i in range(len(y)):  # prange
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total


def spmv_numpy(start: np.ndarray, column: np.ndarray, value: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    y[:] = np.add.reduceat(value * x[column], start[:-1])


def spmv_arrays(start: np.ndarray, column: np.ndarray, value: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    for i in range(len(y)):
        y[i] = value[start[i] : start[i + 1]] @ x[column[start[i] : start[i + 1]]]


def spmv_inputs(random: Random, rows: int, columns: int, mean: int) -> tuple[Any, ...]:
    """Rows of 1 to 2 mean - 1 entries, so that none is empty, their columns in order."""
    lengths = random.integers(1, 2 * mean, rows)
    start = np.concatenate(([0], np.cumsum(lengths)))
    column = np.concatenate([np.sort(random.integers(0, columns, length)) for length in lengths])
    return start, column, random.random(start[-1]), random.random(columns), np.zeros(rows)


KERNELS = (
    Kernel(
        atax, atax_numpy, atax_inputs, tiny=(5, 7), S=(1000, 1100), M=(4000, 4500), L=(10000, 12000), port=atax_port
    ),
    Kernel(
        bicg,
        bicg_numpy,
        bicg_inputs,
        tiny=(5, 7),
        S=(1000, 1100),
        M=(4000, 4500),
        L=(10000, 12000),
        port=bicg_port,
    ),
    Kernel(gemver, gemver_numpy, gemver_inputs, (7,), S=(800,), M=(3000,), L=(9000,)),
    Kernel(gesummv, gesummv_numpy, gesummv_inputs, (7,), S=(800,), M=(3000,), L=(9000,)),
    Kernel(mvt, mvt_numpy, mvt_inputs, (7,), S=(800,), M=(4000,), L=(12000,)),
    Kernel(
        spmv,
        spmv_numpy,
        spmv_inputs,
        tiny=(7, 9, 3),
        S=(4096, 4096, 16),
        M=(65536, 65536, 24),
        L=(400000, 400000, 24),
        arrays=spmv_arrays,
    ),
)
