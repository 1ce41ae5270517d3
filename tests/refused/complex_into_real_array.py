"""A complex value in an array of floats."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] * 1j


f(np.ones(8))
