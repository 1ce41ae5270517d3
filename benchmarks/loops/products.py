"""Products of matrices: gemm, doitgen."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel


def gemm(alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    """C = alpha A B + beta C."""
    for i in range(C.shape[0]):  # prange
        for j in range(C.shape[1]):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(C.shape[1]):
                C[i, j] += alpha * A[i, k] * B[k, j]


def gemm_numpy(alpha: float, beta: float, C: np.ndarray, A: np.ndarray, B: np.ndarray) -> None:
    C[:] = alpha * (A @ B) + beta * C


def gemm_inputs(random: np.random.Generator, ni: int, nj: int, nk: int) -> tuple[Any, ...]:
    return 1.5, 1.2, random.random((ni, nj)), random.random((ni, nk)), random.random((nk, nj))


def doitgen(A: Array, C4: Array) -> None:
    """Each row of A, of three dimensions, times the matrix C4: multiresolution analysis."""
    for r in range(A.shape[0]):  # prange
        for q in range(A.shape[1]):
            row = np.zeros(A.shape[2])
            for p in range(A.shape[2]):
                for s in range(A.shape[2]):
                    row[p] += A[r, q, s] * C4[s, p]
            for p in range(A.shape[2]):
                A[r, q, p] = row[p]


def doitgen_numpy(A: np.ndarray, C4: np.ndarray) -> None:
    A[:] = A @ C4


def doitgen_inputs(random: np.random.Generator, nr: int, nq: int, np_: int) -> tuple[Any, ...]:
    return random.random((nr, nq, np_)), random.random((np_, np_))


KERNELS = (
    Kernel(
        gemm, gemm_numpy, gemm_inputs, tiny=(5, 6, 7), S=(200, 220, 240), M=(1000, 1100, 1200), L=(2000, 2300, 2600)
    ),
    Kernel(
        doitgen, doitgen_numpy, doitgen_inputs, tiny=(3, 4, 5), S=(50, 40, 60), M=(150, 140, 160), L=(220, 250, 270)
    ),
)
