"""An expression outside the language: lambda."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = lambda k: k
    for i in range(len(a)):
        a[i] = 0.0
