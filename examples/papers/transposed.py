"""Accelerate, backpermute: each element of the result says where it comes from; here the transpose of a matrix."""

import numpy as np

from somd import dist, somd


@somd
def transposed(a: dist[np.ndarray]) -> np.ndarray:
    out = np.empty((a.shape[1], a.shape[0]))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[j, i]
    return out
