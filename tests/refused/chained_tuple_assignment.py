"""A statement outside the language: chained assignment to tuples."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x, y = z = 0.0, 1.0
    for i in range(len(a)):
        a[i] = 0.0
