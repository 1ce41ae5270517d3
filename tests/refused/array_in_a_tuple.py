"""Arrays that stand in a tuple, and are indexed there."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    pair = (a, b)
    for i in range(1, len(a)):
        b[i] = pair[0][i - 1]
        pair[0][i] = b[i]


f(np.ones(8), np.ones(8))
