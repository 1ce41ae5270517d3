"""Patterns, gemv: `y = alpha * A @ x + beta * y`, a map of reductions over the rows of a matrix."""

import numpy as np

from somd import dist, somd


@somd
def gemv(alpha: np.float32, a: dist[np.ndarray], x: np.ndarray, beta: np.float32, y: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        total = np.float32(0.0)
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        y[i] = alpha * total + beta * y[i]
