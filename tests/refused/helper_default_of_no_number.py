"""A helper whose default is no number, and stands in for an argument."""

import numpy as np

from somd import dist, somd


def scaled(x, factor=b"two"):
    return x * factor


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = scaled(a[i])


f(np.ones(8))
