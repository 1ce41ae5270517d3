"""An expression outside the language: star argument."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = max(*a.shape)
    for i in range(len(a)):
        a[i] = 0.0
