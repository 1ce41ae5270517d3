"""Stencils on regular grids: jacobi_2d."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel


def jacobi_2d(steps: int, A: Array, B: Array) -> None:
    """Means of five neighbours, from A to B and back, `steps` times."""
    for _ in range(steps):
        for i in range(1, A.shape[0] - 1):  # prange
            for j in range(1, A.shape[1] - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, A.shape[0] - 1):  # prange
            for j in range(1, A.shape[1] - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])


def jacobi_2d_numpy(steps: int, A: np.ndarray, B: np.ndarray) -> None:
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def jacobi_2d_inputs(random: np.random.Generator, steps: int, n: int) -> tuple[Any, ...]:
    return steps, random.random((n, n)), random.random((n, n))


KERNELS = (Kernel(jacobi_2d, jacobi_2d_numpy, jacobi_2d_inputs, tiny=(2, 7), S=(50, 150), M=(100, 700), L=(200, 2000)),)
