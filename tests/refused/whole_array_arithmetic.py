"""Arithmetic on whole arrays."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    b = a * 2.0
    for i in range(len(a)):
        a[i] = b[i]


f(np.ones(8))
