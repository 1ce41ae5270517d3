"""A helper that makes an array."""

import numpy as np

from somd import dist, somd


def table(n):
    return np.zeros(n)


@somd
def f(a: dist[np.ndarray]):
    t = table(3)
    for i in range(len(a)):
        a[i] = t[0]


f(np.ones(8))
