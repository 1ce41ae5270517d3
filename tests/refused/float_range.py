"""A float as a bound."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a) / 2):
        a[i] = 0.0


f(np.ones(8))
