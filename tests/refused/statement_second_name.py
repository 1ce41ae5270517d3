"""A statement outside the language: second name."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    b = a
    for i in range(len(a)):
        a[i] = 0.0
