"""A running sum is read before it is complete."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        b[i] = s
