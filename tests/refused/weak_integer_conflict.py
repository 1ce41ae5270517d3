"""An int8 that starts as a Python number."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        x = 2
        if a[i] > 3:
            x = a[i]
        b[i] = x * 100


f(np.ones(8, np.int8), np.ones(8))
