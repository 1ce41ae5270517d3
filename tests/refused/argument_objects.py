"""An array of objects."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 0.0


f(np.array([1, None]))
