"""Factorisations and systems of linear equations: trisolv."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel


def trisolv(L: Array, x: Array, b: Array) -> None:
    """Solve L x = b, L lower triangular."""
    for i in range(len(x)):
        x[i] = b[i]
        for j in range(i):  # prange
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]


def trisolv_port(L: np.ndarray, x: np.ndarray, b: np.ndarray) -> None:
    """One thread: a region for each row costs more than the row."""
    for i in range(len(x)):
        total = b[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]


def trisolv_numpy(L: np.ndarray, x: np.ndarray, b: np.ndarray) -> None:
    for i in range(len(x)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def trisolv_inputs(random: np.random.Generator, n: int) -> tuple[Any, ...]:
    return np.tril(random.random((n, n)) / n) + np.eye(n), np.zeros(n), random.random(n)


KERNELS = (
    Kernel(
        trisolv, trisolv_numpy, trisolv_inputs, tiny=(7,), S=(400,), M=(2000,), L=(8000,), bits=False, port=trisolv_port
    ),
)
