"""An expression outside the language: star."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = (*a.shape, 1)
    for i in range(len(a)):
        a[i] = 0.0
