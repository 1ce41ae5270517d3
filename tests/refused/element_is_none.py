"""A test of whether an element is None."""

import numpy as np

from somd import dist, somd


@somd
def fill(a: dist[np.ndarray]):
    for i in range(len(a)):
        if a[i] is None:
            a[i] = 0.0


fill(np.ones(8))
