"""The smallest element and its place, as a tuple."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    best = (np.inf, -1)
    for i in range(len(a)):
        if a[i] < best[0]:
            best = (a[i], i)
    return best
