"""A statement outside the language: with file."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    with 3:
        pass
    for i in range(len(a)):
        a[i] = 0.0
