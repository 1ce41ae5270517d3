"""A compaction of an array in itself: what one iteration reads another one may have written."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> int:
    k = 0
    for i in range(len(a)):
        if a[i] > 0.0:
            a[k] = a[i]
            k += 1
    return k
