"""A helper one of whose names may have no value."""

import numpy as np

from somd import dist, somd


def step(v):
    if v > 0.5:
        r = 1.0
    return r


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] += step(a[i])


f(np.ones(4))
