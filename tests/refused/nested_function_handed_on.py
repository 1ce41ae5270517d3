"""A function of a method as a value."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    def thrice(x):
        return 3.0 * x

    other = thrice
    for i in range(len(a)):
        a[i] = other(a[i])
