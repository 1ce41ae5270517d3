"""Two statements write elements that other iterations write."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a) - 1):
        b[i] = a[i]
        b[i + 1] = -a[i]
