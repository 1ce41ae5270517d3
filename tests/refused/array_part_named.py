"""A part of an array under a name of its own."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    inner = a[1:-1]
    inner *= 2.0


f(np.ones(8))
