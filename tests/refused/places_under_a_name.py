"""The places of all axes under one name."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    where = np.nonzero(a)
    return where[0]


f(np.ones((3, 4)))
