"""Allpairs of rows and columns by a dot product (SkelCL): the product of two matrices."""

import numpy as np

from somd import dist, somd


@somd
def matrix_product(a: dist[np.ndarray], b: np.ndarray) -> np.ndarray:
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out
