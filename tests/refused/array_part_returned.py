"""A part of an array that is returned."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    a *= 2.0
    return a[1:]


f(np.ones(8))
