"""A NumPy function of a whole array."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    s = np.sqrt(a)
    for i in range(len(a)):
        a[i] = s[i]


f(np.ones(8))
