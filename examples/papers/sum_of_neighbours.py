"""A MapOverlap with a neutral value outside (SkelCL, its first MapOverlap): the sum of the elements around each one."""

import numpy as np

from somd import dist, somd


@somd
def sum_of_neighbours(m: dist[np.ndarray]) -> np.ndarray:
    rows, columns = m.shape
    out = np.zeros_like(m)
    for i in range(rows):
        for j in range(columns):
            for k in range(max(i - 1, 0), min(i + 2, rows)):
                for n in range(max(j - 1, 0), min(j + 2, columns)):
                    out[i, j] += m[k, n]
    return out
