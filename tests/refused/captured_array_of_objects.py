"""A global array of objects."""

import numpy as np

from somd import dist, somd


TABLE = np.array([None, 2], dtype=object)


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = TABLE[i]


f(np.ones(2))
