"""A method of an array that is not taken."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    s = a.byteswap()
    for i in range(len(a)):
        a[i] = a[i] / s[i]


f(np.ones(8))
