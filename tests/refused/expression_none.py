"""An expression outside the language: none."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = None
    for i in range(len(a)):
        a[i] = x


f(np.ones(8))
