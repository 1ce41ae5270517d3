"""A global list."""

import numpy as np

from somd import dist, somd


TABLE = [1, 2]


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = len(TABLE)


f(np.ones(8))
