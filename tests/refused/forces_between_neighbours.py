"""Forces between neighbours in a chain: each acts on both."""

import numpy as np

from somd import dist, somd


@somd
def forces(x: dist[np.ndarray], f: dist[np.ndarray]):
    for i in range(len(x) - 1):
        d = x[i] - x[i + 1]
        f[i] += d
        f[i + 1] -= d


forces(np.array([1.0, 2.0, 4.0]), np.zeros(3))
