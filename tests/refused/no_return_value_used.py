"""A helper that returns nothing."""

import numpy as np

from somd import dist, somd


def nothing(x):
    y = x


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = nothing(a[i])


f(np.ones(8))
