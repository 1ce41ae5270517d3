"""Products of matrices: gemm, k2mm, k3mm, symm, syrk, syr2k, trmm, doitgen."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


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


def gemm_inputs(random: Random, ni: int, nj: int, nk: int) -> tuple[Any, ...]:
    return 1.5, 1.2, random.random((ni, nj)), random.random((ni, nk)), random.random((nk, nj))


def k2mm(alpha: float, beta: float, A: Array, B: Array, C: Array, D: Array) -> None:
    """D = alpha A B C + beta D."""
    AB = np.zeros((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):  # prange
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                AB[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(D.shape[0]):  # prange
        for j in range(D.shape[1]):
            D[i, j] *= beta
            for k in range(AB.shape[1]):
                D[i, j] += AB[i, k] * C[k, j]


def k2mm_numpy(alpha: float, beta: float, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> None:
    D[:] = alpha * (A @ B @ C) + beta * D


def k2mm_inputs(random: Random, ni: int, nj: int, nk: int, nl: int) -> tuple[Any, ...]:
    shapes = (ni, nk), (nk, nj), (nj, nl), (ni, nl)
    return 1.5, 1.2, *(random.random(shape) for shape in shapes)


def k3mm(A: Array, B: Array, C: Array, D: Array) -> np.ndarray:
    """(A B) (C D)."""
    AB = np.zeros((A.shape[0], B.shape[1]))
    CD = np.zeros((C.shape[0], D.shape[1]))
    product = np.zeros((A.shape[0], D.shape[1]))
    for i in range(AB.shape[0]):  # prange
        for j in range(AB.shape[1]):
            for k in range(A.shape[1]):
                AB[i, j] += A[i, k] * B[k, j]
    for i in range(CD.shape[0]):  # prange
        for j in range(CD.shape[1]):
            for k in range(C.shape[1]):
                CD[i, j] += C[i, k] * D[k, j]
    for i in range(product.shape[0]):  # prange
        for j in range(product.shape[1]):
            for k in range(AB.shape[1]):
                product[i, j] += AB[i, k] * CD[k, j]
    return product


def k3mm_numpy(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> np.ndarray:
    return (A @ B) @ (C @ D)


def k3mm_inputs(random: Random, ni: int, nj: int, nk: int, nl: int, nm: int) -> tuple[Any, ...]:
    return tuple(random.random(shape) for shape in ((ni, nk), (nk, nj), (nj, nm), (nm, nl)))


def symm(alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    """C = alpha A B + beta C, A symmetric, of which the lower triangle is read, once."""
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):  # prange
            total = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                total += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * total


def symm_numpy(alpha: float, beta: float, C: np.ndarray, A: np.ndarray, B: np.ndarray) -> None:
    full = np.tril(A) + np.tril(A, -1).T
    C[:] = alpha * (full @ B) + beta * C


def symm_inputs(random: Random, m: int, n: int) -> tuple[Any, ...]:
    return 1.5, 1.2, random.random((m, n)), random.random((m, m)), random.random((m, n))


def syrk(alpha: float, beta: float, C: Array, A: Array) -> None:
    """C = alpha A A^T + beta C, of which the lower triangle is computed."""
    for i in range(C.shape[0]):  # prange
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(i + 1):
                C[i, j] += alpha * A[i, k] * A[j, k]


def syrk_numpy(alpha: float, beta: float, C: np.ndarray, A: np.ndarray) -> None:
    lower = np.tril_indices(len(C))
    C[lower] = alpha * (A @ A.T)[lower] + beta * C[lower]


def syrk_inputs(random: Random, n: int, m: int) -> tuple[Any, ...]:
    return 1.5, 1.2, random.random((n, n)), random.random((n, m))


def syr2k(alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    """C = alpha A B^T + alpha B A^T + beta C, of which the lower triangle is computed."""
    for i in range(C.shape[0]):  # prange
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(i + 1):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]


def syr2k_numpy(alpha: float, beta: float, C: np.ndarray, A: np.ndarray, B: np.ndarray) -> None:
    lower = np.tril_indices(len(C))
    half = A @ B.T
    C[lower] = alpha * (half + half.T)[lower] + beta * C[lower]


def syr2k_inputs(random: Random, n: int, m: int) -> tuple[Any, ...]:
    return 1.5, 1.2, random.random((n, n)), random.random((n, m)), random.random((n, m))


def trmm(alpha: float, A: Array, B: Array) -> None:
    """B = alpha A^T B, A lower triangular with ones on its diagonal."""
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):  # prange
            for k in range(i + 1, A.shape[0]):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] *= alpha


def trmm_port(alpha: float, A: np.ndarray, B: np.ndarray) -> None:
    """The loop that can be shared out is the outermost one."""
    for j in range(B.shape[1]):  # prange
        for i in range(B.shape[0]):
            for k in range(i + 1, A.shape[0]):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] *= alpha


def trmm_numpy(alpha: float, A: np.ndarray, B: np.ndarray) -> None:
    B[:] = alpha * (B + np.tril(A, -1).T @ B)


def trmm_inputs(random: Random, m: int, n: int) -> tuple[Any, ...]:
    return 1.5, random.random((m, m)), random.random((m, n))


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


def doitgen_inputs(random: Random, nr: int, nq: int, np_: int) -> tuple[Any, ...]:
    return random.random((nr, nq, np_)), random.random((np_, np_))


KERNELS = (
    Kernel(gemm, gemm_numpy, gemm_inputs, (5, 6, 7), S=(200, 220, 240), M=(1000, 1100, 1200), L=(2000, 2300, 2600)),
    Kernel(
        k2mm, k2mm_numpy, k2mm_inputs, (5, 6, 7, 8), S=(180, 190, 210, 220), M=(800, 900, 1100, 1200), L=(1600,) * 4
    ),
    Kernel(
        k3mm,
        k3mm_numpy,
        k3mm_inputs,
        (5, 6, 7, 8, 9),
        S=(180, 190, 200, 210, 220),
        M=(800, 900, 1000, 1100, 1200),
        L=(1600,) * 5,
    ),
    Kernel(symm, symm_numpy, symm_inputs, (7, 5), S=(200, 240), M=(1000, 1200), L=(2000, 2600)),
    Kernel(syrk, syrk_numpy, syrk_inputs, (7, 5), S=(240, 200), M=(1200, 1000), L=(2600, 2000)),
    Kernel(syr2k, syr2k_numpy, syr2k_inputs, (7, 5), S=(240, 200), M=(1200, 1000), L=(2600, 2000)),
    Kernel(trmm, trmm_numpy, trmm_inputs, (7, 5), S=(200, 240), M=(1000, 1200), L=(2000, 2600), port=trmm_port),
    Kernel(doitgen, doitgen_numpy, doitgen_inputs, (3, 4, 5), S=(50, 40, 60), M=(150, 140, 160), L=(220, 250, 270)),
)
