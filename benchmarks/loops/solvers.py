"""Factorisations, systems of linear equations: cholesky, cholesky_right, lu, ludcmp, trisolv, durbin, gramschmidt."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def cholesky(A: Array) -> None:
    """The lower factor of a positive definite matrix, row by row, in its lower triangle."""
    for i in range(A.shape[0]):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])


def cholesky_right(A: Array) -> None:
    """The same, column by column: each is taken away from all that are on its right."""
    n = A.shape[0]
    for k in range(n):
        A[k, k] = np.sqrt(A[k, k])
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
        for i in range(k + 1, n):  # prange
            for j in range(k + 1, i + 1):
                A[i, j] -= A[i, k] * A[j, k]


def cholesky_numpy(A: np.ndarray) -> None:
    lower = np.tril_indices(len(A))
    A[lower] = np.linalg.cholesky(A)[lower]


def cholesky_arrays(A: np.ndarray) -> None:
    for i in range(len(A)):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])


def cholesky_right_arrays(A: np.ndarray) -> None:
    for k in range(len(A)):
        A[k, k] = np.sqrt(A[k, k])
        A[k + 1 :, k] /= A[k, k]
        for j in range(k + 1, len(A)):
            A[j:, j] -= A[j:, k] * A[j, k]


def positive_definite(random: Random, n: int) -> tuple[Any, ...]:
    root = random.random((n, n))
    return (root @ root.T + n * np.eye(n),)


def lu(A: Array) -> None:
    """Both factors of a matrix in its place, row by row, without pivots."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):  # prange
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]


def lu_numpy(A: np.ndarray) -> None:
    for k in range(len(A)):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])


def ludcmp(A: Array, b: Array, x: Array, y: Array) -> None:
    """Solve A x = b by both factors of A, which take its place."""
    n = len(b)
    for i in range(n):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, n):  # prange
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= A[i, j] * x[j]
        x[i] = w / A[i, i]


def ludcmp_numpy(A: np.ndarray, b: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    lu_numpy(A)
    for i in range(len(b)):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(len(b) - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]


def system(random: Random, n: int) -> tuple[Any, ...]:
    return random.random((n, n)) + n * np.eye(n), random.random(n), np.zeros(n), np.zeros(n)


def trisolv(L: Array, x: Array, b: Array) -> None:
    """Solve L x = b, L lower triangular."""
    for i in range(len(x)):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]


def trisolv_numpy(L: np.ndarray, x: np.ndarray, b: np.ndarray) -> None:
    for i in range(len(x)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def lower_system(random: Random, n: int) -> tuple[Any, ...]:
    return np.tril(random.random((n, n)) / n) + np.eye(n), np.zeros(n), random.random(n)


def durbin(r: Array, y: Array) -> None:
    """Levinson and Durbin's solution of the Yule-Walker equations with a Toeplitz matrix."""
    n = len(r)
    z = np.zeros(n)
    y[0] = -r[0]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha


def durbin_numpy(r: np.ndarray, y: np.ndarray) -> None:
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[k - 1 :: -1] @ y[:k]) / beta
        y[:k] += alpha * y[k - 1 :: -1]
        y[k] = alpha


def autocorrelations(random: Random, n: int) -> tuple[Any, ...]:
    return 0.9 ** np.arange(1, n + 1) * 0.5, np.zeros(n)


def gramschmidt(A: Array, Q: Array, R: Array) -> None:
    """A = Q R by the modified Gram-Schmidt process; A is used up."""
    m, n = A.shape
    for k in range(n):
        square = 0.0
        for i in range(m):
            square += A[i, k] * A[i, k]
        R[k, k] = np.sqrt(square)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, n):  # prange
            R[k, j] = 0.0
            for i in range(m):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(m):
                A[i, j] -= Q[i, k] * R[k, j]


def gramschmidt_numpy(A: np.ndarray, Q: np.ndarray, R: np.ndarray) -> None:
    for k in range(A.shape[1]):
        R[k, k] = np.linalg.norm(A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        R[k, k + 1 :] = Q[:, k] @ A[:, k + 1 :]
        A[:, k + 1 :] -= np.outer(Q[:, k], R[k, k + 1 :])


def tall(random: Random, m: int, n: int) -> tuple[Any, ...]:
    return random.random((m, n)) + np.eye(m, n), np.zeros((m, n)), np.zeros((n, n))


KERNELS = (
    Kernel(
        cholesky,
        cholesky_numpy,
        positive_definite,
        (35,),
        S=(150,),
        M=(600,),
        L=(2000,),
        arrays=cholesky_arrays,
    ),
    Kernel(
        cholesky_right,
        cholesky_numpy,
        positive_definite,
        (7,),
        S=(200,),
        M=(1200,),
        L=(2600,),
        arrays=cholesky_right_arrays,
    ),
    Kernel(lu, lu_numpy, lambda random, n: system(random, n)[:1], (35,), S=(200,), M=(1000,), L=(2000,)),
    Kernel(ludcmp, ludcmp_numpy, system, (35,), S=(200,), M=(1000,), L=(2000,), bits=False),
    Kernel(trisolv, trisolv_numpy, lower_system, (7,), S=(400,), M=(2000,), L=(8000,), bits=False),
    Kernel(durbin, durbin_numpy, autocorrelations, (7,), S=(400,), M=(4000,), L=(16000,), bits=False),
    Kernel(gramschmidt, gramschmidt_numpy, tall, (8, 6), S=(150, 120), M=(600, 500), L=(1200, 1000), bits=False),
)
