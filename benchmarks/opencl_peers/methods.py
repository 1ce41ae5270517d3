"""The methods whose kernels are compared: as a user would write them."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import ByKey, dist, like, partition, shared, somd, sync


@somd
def axpy(x: dist[np.ndarray], y: dist[np.ndarray], factor: float) -> None:
    """y += factor x"""
    for i in range(len(y)):
        y[i] = factor * x[i] + y[i]


@somd
def dot(a: dist[np.ndarray], b: dist[np.ndarray]) -> float:
    """The sum of a[i] b[i]."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@somd
def matvec(A: dist[np.ndarray], x: np.ndarray, y: dist[np.ndarray]) -> None:
    """y = A x"""
    for i in range(A.shape[0]):
        total = 0.0
        for j in range(A.shape[1]):
            total += A[i, j] * x[j]
        y[i] = total


@somd
def heat(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> None:
    """`steps` pairs of steps of the heat equation, from a to b and back."""
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j])
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = b[i, j] + 0.1 * (b[i - 1, j] + b[i + 1, j] + b[i, j - 1] + b[i, j + 1] - 4.0 * b[i, j])


@somd
def sor(G: dist[np.ndarray], omega: float, sweeps: int) -> None:
    """Half sweeps of red-black successive over-relaxation."""
    neighbours = 0.25 * omega
    own = 1.0 - omega
    for p in range(1, sweeps + 1):
        for i in range(1, G.shape[0] - 1):
            for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                G[i, j] = neighbours * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1]) + own * G[i, j]


@somd
def sparse(
    y: np.ndarray,
    values: Annotated[np.ndarray, dist, like("row")],
    row: Annotated[np.ndarray, dist, partition(ByKey)],
    column: Annotated[np.ndarray, dist, like("row")],
    x: np.ndarray,
    times: int,
) -> None:
    """y += A x, `times` times; A in coordinate form, its non-zeros grouped by row."""
    for _ in range(times):
        for k in range(len(values)):
            y[row[k]] += x[column[k]] * values[k]


@somd
def histogram(key: dist[np.ndarray], h: shared[np.ndarray]) -> None:
    """How often each key occurs, added to h."""
    with sync(h, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += 1
