"""Allpairs of rows by another measure (SkelCL): Manhattan distances."""

import numpy as np

from somd import dist, somd


@somd
def manhattan_distances(a: dist[np.ndarray]) -> np.ndarray:
    n, axes = a.shape
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for k in range(axes):
                out[i, j] += abs(a[i, k] - a[j, k])
    return out
