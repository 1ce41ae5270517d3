"""A global list of several types."""

import numpy as np

from somd import dist, somd


TABLE = [1, 2.5, "three"]


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = TABLE[i % 3]


f(np.ones(8))
