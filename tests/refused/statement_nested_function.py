"""A statement outside the language: a nested function that is defined in a loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):

        def g(x):
            return x

        a[i] = g(0.0)
