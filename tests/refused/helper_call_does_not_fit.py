"""Helpers called with arguments that they do not take."""

import numpy as np

from somd import dist, somd


def scaled(x, factor=2.0):
    return factor * x


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = scaled(a[i], scale=3.0) + scaled(factor=2.0)


f(np.ones(8))
