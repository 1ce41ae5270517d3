"""Forces that act on both particles of a pair."""

import numpy as np

from somd import dist, somd


@somd
def forces(pairs: dist[np.ndarray], x: np.ndarray, f: np.ndarray):
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        d = x[i] - x[j]
        f[i] += d
        f[j] -= d


forces(np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0, 4.0]), np.zeros(3))
