"""Two vectors of different lengths."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


f(np.ones(1000), np.ones(900))
