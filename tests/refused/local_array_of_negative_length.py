"""A negative length for an array that each iteration has for itself."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], n: int):
    for i in range(len(a)):
        if a[i] > 0.0:
            window = np.zeros((3, n))
            a[i] = window.size


f(np.ones(8), -2)
