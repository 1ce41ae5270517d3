"""An element that is an integer to a power that may be negative."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], n: int):
    for i in range(len(a)):
        a[i] = a[i] ** n


f(np.ones(8, np.int64), 2)
