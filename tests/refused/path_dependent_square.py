"""A variable that is a Python number on one path: its square overflows on the other."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        x = 200
        if a[i] > 100:
            x = a[i]
        a[i] = x * x


f(np.ones(8, np.uint8))
