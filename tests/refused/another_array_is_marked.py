"""The loop indexes an array that is not marked."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: np.ndarray):
    for i in range(len(b)):
        b[i] = a[0]


f(np.ones(8), np.ones(8))
