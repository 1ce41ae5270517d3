"""Matrices times vectors: atax, bicg, spmv."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel


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


def atax_inputs(random: np.random.Generator, m: int, n: int) -> tuple[Any, ...]:
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


def bicg_inputs(random: np.random.Generator, m: int, n: int) -> tuple[Any, ...]:
    return random.random((m, n)), random.random(n), random.random(m), np.zeros(m), np.zeros(n)


def spmv(start: Array, column: Array, value: Array, x: Array, y: Array) -> None:
    """y = A x, the rows of A compressed: row i is column and value from start[i] to start[i + 1]."""
    for i in range(len(y)):  # prange
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total


def spmv_numpy(start: np.ndarray, column: np.ndarray, value: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    y[:] = np.add.reduceat(value * x[column], start[:-1])


def spmv_inputs(random: np.random.Generator, rows: int, columns: int, mean: int) -> tuple[Any, ...]:
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
        bits=False,
        port=bicg_port,
    ),
    Kernel(
        spmv, spmv_numpy, spmv_inputs, tiny=(7, 9, 3), S=(4096, 4096, 16), M=(65536, 65536, 24), L=(400000, 400000, 24)
    ),
)
