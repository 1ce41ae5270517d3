"""A helper whose tuples have parts of different types."""

import numpy as np

from somd import dist, somd


def pair(x, y):
    if x < y:
        return x, y
    return y, x


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        lo, hi = pair(a[i], b[i])
        a[i] = hi - lo


f(np.ones(8), np.ones(8, np.float32))
