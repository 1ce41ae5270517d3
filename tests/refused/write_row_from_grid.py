"""All rows write one row."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[j] = a[i, j]
            a[i, j] = 0.0
