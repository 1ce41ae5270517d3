"""Accelerate, fold along the innermost dimension: the greatest element of each row."""

import numpy as np

from somd import dist, somd


@somd
def greatest_of_rows(a: dist[np.ndarray]) -> np.ndarray:
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        greatest = -np.inf
        for j in range(a.shape[1]):
            greatest = max(greatest, a[i, j])
        out[i] = greatest
    return out
