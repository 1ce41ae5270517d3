"""A reduction along an axis that is no constant."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], axis: int):
    return a.sum(axis=axis)


f(np.ones((8, 3)), 1)
