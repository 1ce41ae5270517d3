"""A method with `*args`."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], *more):
    for i in range(len(a)):
        a[i] = 0.0


f(np.ones(8))
