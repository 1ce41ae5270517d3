"""A loop over a set."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in {0, 2, 4}:
        a[i] = 0.0
