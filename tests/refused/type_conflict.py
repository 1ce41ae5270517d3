"""A name with two types."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        x = 0.1
        if i > 2:
            x = a[i]
        b[i] = x


f(np.ones(8, np.float32), np.ones(8))
