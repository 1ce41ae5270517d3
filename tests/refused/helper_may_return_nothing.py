"""A helper that returns a number on some paths only."""

import numpy as np

from somd import dist, somd


def positive(x):
    if x > 0:
        return x


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = positive(a[i])


f(np.ones(8))
