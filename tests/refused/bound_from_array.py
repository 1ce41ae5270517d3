"""A bound is read from an array."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(b[0]):
        a[i] = 0.0
