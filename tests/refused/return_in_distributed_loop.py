"""`return` in a distributed loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> int:
    for i in range(len(a)):
        if a[i] > 9.0:
            return i
        a[i] = 0.0
    return -1
