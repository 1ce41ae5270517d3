"""A global array."""

import numpy as np

from somd import dist, somd


TABLE = np.arange(8.0)


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = TABLE[i]


f(np.ones(8))
