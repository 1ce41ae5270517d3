"""A compaction: the place depends on how many were kept."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]) -> int:
    k = 0
    for i in range(len(a)):
        if a[i] > 0.0:
            b[k] = a[i]
            k += 1
    return k
