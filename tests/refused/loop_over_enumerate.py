"""A loop over `enumerate`."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i, x in enumerate(a):
        a[i] = x + 1.0
