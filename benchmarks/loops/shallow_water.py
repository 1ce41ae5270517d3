"""Shallow water: one kernel of `benchmarks.array_forms`, whose text in NumPy `benchmarks.gpu_arrays` has, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.gpu_arrays.programs import shallow_water as shallow_water_numpy
from benchmarks.loops.kernel import Array, Kernel


def shallow_water(h: Array, u: Array, v: Array, steps: int, dt: float, dx: float) -> None:
    """Heights and two velocities on a grid, by central differences."""
    for _ in range(steps):
        for i in range(1, h.shape[0] - 1):  # prange
            for j in range(1, h.shape[1] - 1):
                u[i, j] -= 9.81 * dt / (2.0 * dx) * (h[i + 1, j] - h[i - 1, j])
        for i in range(1, h.shape[0] - 1):  # prange
            for j in range(1, h.shape[1] - 1):
                v[i, j] -= 9.81 * dt / (2.0 * dx) * (h[i, j + 1] - h[i, j - 1])
        for i in range(1, h.shape[0] - 1):  # prange
            for j in range(1, h.shape[1] - 1):
                h[i, j] -= dt / (2.0 * dx) * ((u[i + 1, j] - u[i - 1, j]) + (v[i, j + 1] - v[i, j - 1]))


def pond(random: np.random.Generator, n: int, steps: int) -> tuple[Any, ...]:
    """A square grid of heights about 1, at rest."""
    return 1.0 + 0.01 * random.random((n, n)), np.zeros((n, n)), np.zeros((n, n)), steps, 0.001, 1.0


KERNEL = Kernel(shallow_water, shallow_water_numpy, pond, (6, 2), S=(160, 40), M=(700, 60), L=(2000, 60))
