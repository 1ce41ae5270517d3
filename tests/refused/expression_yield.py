"""An expression outside the language: yield."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    yield a
    for i in range(len(a)):
        a[i] = 0.0
