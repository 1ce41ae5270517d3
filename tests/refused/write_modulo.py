"""Iterations meet modulo 8."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        b[i % 8] = a[i]
