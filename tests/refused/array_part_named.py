"""A part of an array under a name of its own, in what is no array statement."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    inner = a[1:-1]
    inner *= 2.0
    for i in range(len(a) - 2):
        a[i] = inner[i]


f(np.ones(8))
