"""A function of a method that is called before another one is defined."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    def twice(x):
        return 2.0 * x

    first = twice(a[0])

    def thrice(x):
        return 3.0 * x

    for i in range(len(a)):
        a[i] = thrice(first)
