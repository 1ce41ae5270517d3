"""Arrays of two dtypes are exchanged."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for t in range(3):
        for i in range(len(a)):
            b[i] = a[i]
        a, b = b, a


f(np.ones(3), np.ones(3, np.float32))
