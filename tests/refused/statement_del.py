"""A statement outside the language: del."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = 1
    del x
    for i in range(len(a)):
        a[i] = 0.0
