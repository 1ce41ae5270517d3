"""An index in an array is too large."""

import numpy as np

from somd import dist, somd


@somd
def f(out: dist[np.ndarray], index: dist[np.ndarray], x: dist[np.ndarray]):
    for i in range(len(index)):
        out[i] = x[index[i]]


f(np.ones(4), np.array([0, 3, 9, 8]), np.ones(5))
