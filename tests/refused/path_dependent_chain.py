"""A sum that is a Python number on one path, used further."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        x = 0
        if a[i] > 100:
            x = a[i]
        y = x + x
        a[i] = (y - 1) // 2


f(np.ones(8, np.uint8))
