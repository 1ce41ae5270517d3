"""A helper is given a whole array."""

import numpy as np

from somd import dist, somd


def first(x):
    return x[0]


@somd
def f(a: dist[np.ndarray], b: np.ndarray):
    for i in range(len(a)):
        a[i] = first(b)


f(np.ones(8), np.ones(8))
