"""A whole array as a condition."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    if a > 0:
        a[:] = 0.0


f(np.ones(8))
