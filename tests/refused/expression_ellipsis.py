"""An expression outside the language: ellipsis."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    a[...] = 1.0
    for i in range(len(a)):
        a[i] = 0.0
