"""A statement outside the language: nested function."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    def g(x):
        return x

    for i in range(len(a)):
        a[i] = 0.0
