"""An expression outside the language: in."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = 3 in a
    for i in range(len(a)):
        a[i] = 0.0
