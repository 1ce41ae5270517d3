"""A function that NumPy does not have."""

import numpy as np

from somd import dist, somd


@somd
def roots(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = np.sqqrt(a[i])


roots(np.ones(8))
