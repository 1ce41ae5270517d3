"""A statement outside the language: raise."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    raise ValueError
    for i in range(len(a)):
        a[i] = 0.0
