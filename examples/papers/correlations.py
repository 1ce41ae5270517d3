"""Allpairs of rows by a measure that is no zip and reduce (SkelCL): Pearson's correlation coefficients."""

import math

import numpy as np

from somd import dist, somd


@somd
def correlations(a: dist[np.ndarray]) -> np.ndarray:
    n, axes = a.shape
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            x = y = xx = yy = xy = 0.0
            for k in range(axes):
                x += a[i, k]
                y += a[j, k]
                xx += a[i, k] * a[i, k]
                yy += a[j, k] * a[j, k]
                xy += a[i, k] * a[j, k]
            out[i, j] = (axes * xy - x * y) / math.sqrt((axes * xx - x * x) * (axes * yy - y * y))
    return out
