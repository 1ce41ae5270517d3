"""An index in code that runs once."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], n: int):
    for i in range(len(a)):
        a[i] = 0.0
    a[n] = 1.0


f(np.ones(4), 4)
