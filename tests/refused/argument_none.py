"""`None` as an argument."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], k: int):
    for i in range(len(a)):
        a[i] = a[i] * k


f(np.ones(3), None)
