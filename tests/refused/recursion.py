"""A helper that calls itself."""

import numpy as np

from somd import dist, somd


def depth(n):
    return 1 if n < 2 else depth(n - 1)


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = depth(i)


f(np.ones(8))
