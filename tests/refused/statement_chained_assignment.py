"""A statement outside the language: chained assignment."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = y = 0.0
    for i in range(len(a)):
        a[i] = 0.0
