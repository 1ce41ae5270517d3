"""A statement outside the language: import from."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    from math import sqrt
    for i in range(len(a)):
        a[i] = 0.0
