"""A minimum of floats that lets nan in at one place, and not at another."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    low = a[0]
    for i in range(len(a)):
        low = min(a[i], low)
        if b[i] < low:
            low = b[i]
    return low


f(np.ones(3), np.ones(3))
