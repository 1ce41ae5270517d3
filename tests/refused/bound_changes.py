"""The loop changes its own bound."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], n: int):
    for i in range(n):
        n = n - 1
        a[i] = 0.0
