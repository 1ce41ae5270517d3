"""An expression outside the language: generator."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = sum(k for k in range(3))
    for i in range(len(a)):
        a[i] = 0.0
