"""A result that is a tuple of one entry, as the shape of a vector is."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] += 1.0
    return a.shape


f(np.ones(8))
