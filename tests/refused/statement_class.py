"""A statement outside the language: class."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    class C:
        pass
    for i in range(len(a)):
        a[i] = 0.0
