"""Two iterations write one element."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        b[i // 2] = a[i]
