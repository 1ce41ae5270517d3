"""A helper called with a keyword."""

import numpy as np

from somd import dist, somd


def twice(x):
    return 2.0 * x


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = twice(x=a[i])


f(np.ones(8))
