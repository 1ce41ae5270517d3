"""Gaussian elimination without pivoting: triangular phases in a loop that all method instances take together."""

import numpy as np

from somd import dist, somd


@somd
def lu_factors(a: dist[np.ndarray]) -> None:
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


def cases():
    return [(np.random.default_rng(n).random((n, n)) + n * np.eye(n),) for n in (4, 48)]
