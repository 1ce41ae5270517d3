"""A variable that is a Python number on one path, negated."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        x = 1
        if a[i] > 100:
            x = a[i]
        y = -x
        a[i] = y > 0


f(np.ones(8, np.uint8))
