"""An expression outside the language: matrix product."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = a @ a
    for i in range(len(a)):
        a[i] = 0.0
