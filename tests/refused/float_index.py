"""A float as an index."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        b[i] = a[i / 2]


f(np.ones(8), np.ones(8))
