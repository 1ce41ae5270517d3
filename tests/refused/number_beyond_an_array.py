"""A number that is written out, and that the array's integers do not hold."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        if a[i] > 3:
            a[i] = 300


f(np.ones(8, np.uint8))
