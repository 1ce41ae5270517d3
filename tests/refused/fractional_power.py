"""An integer to a power that may be negative."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 2 ** (i - 4)


f(np.ones(8))
