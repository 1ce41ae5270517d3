"""`and` between numbers."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] and 3.0


f(np.ones(8))
