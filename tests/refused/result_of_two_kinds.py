"""A result that is an int where a condition does not hold, and a float where it does."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], k: int):
    s = 0
    for i in range(len(a)):
        a[i] += 1.0
    if k > 3:
        s = 1.5
    return s


f(np.ones(3), 2)
