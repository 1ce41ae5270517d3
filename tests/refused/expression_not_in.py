"""An expression outside the language: not in."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = 3 not in a
    for i in range(len(a)):
        a[i] = 0.0
