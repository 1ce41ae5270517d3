"""A NumPy reduction of a whole array."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    s = a.sum()
    for i in range(len(a)):
        a[i] = a[i] / s


f(np.ones(8))
