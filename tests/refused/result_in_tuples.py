"""A result that is a tuple with a tuple in it."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total, (len(a), total / len(a))


f(np.ones(8))
