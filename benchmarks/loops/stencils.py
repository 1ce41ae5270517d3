"""Stencils on regular grids: jacobi_1d, jacobi_2d, heat_3d, seidel_2d, fdtd_2d, adi."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def jacobi_1d(steps: int, A: Array, B: Array) -> None:
    """Means of three neighbours, from A to B and back, `steps` times."""
    for _ in range(steps):
        for i in range(1, len(A) - 1):  # prange
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, len(A) - 1):  # prange
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])


def jacobi_1d_numpy(steps: int, A: np.ndarray, B: np.ndarray) -> None:
    for _ in range(steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


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


def heat_3d(steps: int, A: Array, B: Array) -> None:
    """The heat equation in three dimensions, from A to B and back, `steps` times."""
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):  # prange
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    B[i, j, k] = (
                        0.125 * (A[i + 1, j, k] - 2.0 * A[i, j, k] + A[i - 1, j, k])
                        + 0.125 * (A[i, j + 1, k] - 2.0 * A[i, j, k] + A[i, j - 1, k])
                        + 0.125 * (A[i, j, k + 1] - 2.0 * A[i, j, k] + A[i, j, k - 1])
                        + A[i, j, k]
                    )
        for i in range(1, n - 1):  # prange
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    A[i, j, k] = (
                        0.125 * (B[i + 1, j, k] - 2.0 * B[i, j, k] + B[i - 1, j, k])
                        + 0.125 * (B[i, j + 1, k] - 2.0 * B[i, j, k] + B[i, j - 1, k])
                        + 0.125 * (B[i, j, k + 1] - 2.0 * B[i, j, k] + B[i, j, k - 1])
                        + B[i, j, k]
                    )


def heat_3d_numpy(steps: int, A: np.ndarray, B: np.ndarray) -> None:
    def step(old: np.ndarray, new: np.ndarray) -> None:
        middle = old[1:-1, 1:-1, 1:-1]
        new[1:-1, 1:-1, 1:-1] = (
            0.125 * (old[2:, 1:-1, 1:-1] - 2.0 * middle + old[:-2, 1:-1, 1:-1])
            + 0.125 * (old[1:-1, 2:, 1:-1] - 2.0 * middle + old[1:-1, :-2, 1:-1])
            + 0.125 * (old[1:-1, 1:-1, 2:] - 2.0 * middle + old[1:-1, 1:-1, :-2])
            + middle
        )

    for _ in range(steps):
        step(A, B)
        step(B, A)


def two_grids(dimensions: int) -> Any:
    """Inputs of the Jacobi kernels: the steps, and two cubes of so many dimensions."""

    def inputs(random: Random, steps: int, n: int) -> tuple[Any, ...]:
        return steps, random.random((n,) * dimensions), random.random((n,) * dimensions)

    return inputs


def seidel_2d(steps: int, A: Array) -> None:
    """Means of nine neighbours in place, each of the newest values: Gauss and Seidel's method.

    A point waits for those before it in its row and for the row above up to its right, so all points of one 2 i + j are
    computed side by side.
    """
    n = A.shape[0]
    for _ in range(steps):
        for front in range(3, 3 * n - 5):
            for i in range(max(1, (front - n + 3) // 2), min(n - 2, (front - 1) // 2) + 1):  # prange
                j = front - 2 * i
                A[i, j] = (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0


def seidel_2d_port(steps: int, A: np.ndarray) -> None:
    """Row by row: fronts are scattered in memory."""
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0


def seidel_2d_numpy(steps: int, A: np.ndarray) -> None:
    for _ in range(steps):
        for i in range(1, len(A) - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            )
            for j in range(1, A.shape[1] - 1):
                A[i, j] = (A[i, j] + A[i, j - 1]) / 9.0


def fdtd_2d(ex: Array, ey: Array, hz: Array, source: Array) -> None:
    """The finite differences of Maxwell's equations in two dimensions, a step for each number of `source`."""
    nx, ny = hz.shape
    for t in range(len(source)):
        for j in range(ny):
            ey[0, j] = source[t]
        for i in range(1, nx):  # prange
            for j in range(ny):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(nx):  # prange
            for j in range(1, ny):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(nx - 1):  # prange
            for j in range(ny - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


def fdtd_2d_numpy(ex: np.ndarray, ey: np.ndarray, hz: np.ndarray, source: np.ndarray) -> None:
    for value in source:
        ey[0] = value
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def fields(random: Random, steps: int, nx: int, ny: int) -> tuple[Any, ...]:
    return *(random.random((nx, ny)) for _ in range(3)), np.arange(steps) * 1.0


def adi(steps: int, u: Array) -> None:
    """The heat equation by alternating directions: a tridiagonal system down each column, then along each row."""
    n = u.shape[0]
    v = np.empty_like(u)
    p = np.empty_like(u)
    q = np.empty_like(u)
    across = 1.0 / n
    b1 = 2.0 * (1.0 / steps) / (across * across)
    b2 = (1.0 / steps) / (across * across)
    a = -b1 / 2.0
    b = 1.0 + b1
    d = -b2 / 2.0
    e = 1.0 + b2
    for _ in range(steps):
        for i in range(1, n - 1):  # prange
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = v[0, i]
            for j in range(1, n - 1):
                p[i, j] = -a / (a * p[i, j - 1] + b)
                q[i, j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - d * u[j, i + 1] - a * q[i, j - 1]) / (
                    a * p[i, j - 1] + b
                )
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in range(1, n - 1):  # prange
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = u[i, 0]
            for j in range(1, n - 1):
                p[i, j] = -d / (d * p[i, j - 1] + e)
                q[i, j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - a * v[i + 1, j] - d * q[i, j - 1]) / (
                    d * p[i, j - 1] + e
                )
            u[i, n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]


def adi_numpy(steps: int, u: np.ndarray) -> None:
    n = len(u)
    v, p, q = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    b1 = 2.0 / steps * n * n
    b2 = 1.0 / steps * n * n
    a, b, d, e = -b1 / 2.0, 1.0 + b1, -b2 / 2.0, 1.0 + b2
    for _ in range(steps):
        v[0, 1:-1], p[1:-1, 0], q[1:-1, 0] = 1.0, 0.0, 1.0
        for j in range(1, n - 1):
            below = a * p[1:-1, j - 1] + b
            p[1:-1, j] = -a / below
            right = -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:]
            q[1:-1, j] = (right - a * q[1:-1, j - 1]) / below
        v[n - 1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0], p[1:-1, 0], q[1:-1, 0] = 1.0, 0.0, 1.0
        for j in range(1, n - 1):
            below = d * p[1:-1, j - 1] + e
            p[1:-1, j] = -d / below
            right = -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j]
            q[1:-1, j] = (right - d * q[1:-1, j - 1]) / below
        u[1:-1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


def steps_and_grid(random: Random, steps: int, n: int) -> tuple[Any, ...]:
    return steps, random.random((n, n))


KERNELS = (
    Kernel(jacobi_1d, jacobi_1d_numpy, two_grids(1), (2, 9), S=(400, 3200), M=(1000, 12000), L=(4000, 32000)),
    Kernel(jacobi_2d, jacobi_2d_numpy, two_grids(2), (2, 7), S=(50, 150), M=(100, 700), L=(200, 2000)),
    Kernel(heat_3d, heat_3d_numpy, two_grids(3), (2, 5), S=(20, 30), M=(40, 100), L=(100, 160)),
    Kernel(
        seidel_2d, seidel_2d_numpy, steps_and_grid, (2, 7), S=(10, 120), M=(20, 400), L=(100, 1200), port=seidel_2d_port
    ),
    Kernel(fdtd_2d, fdtd_2d_numpy, fields, (2, 6, 7), S=(50, 120, 140), M=(60, 600, 700), L=(200, 1600, 1800)),
    Kernel(adi, adi_numpy, steps_and_grid, (2, 7), S=(10, 120), M=(20, 400), L=(50, 1000)),
)
