"""An expression outside the language: is."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = len(a) is 3
    for i in range(len(a)):
        a[i] = 0.0
