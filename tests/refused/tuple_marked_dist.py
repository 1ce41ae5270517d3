"""A tuple given to a distributed parameter."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


f((1.0, 2.0))
