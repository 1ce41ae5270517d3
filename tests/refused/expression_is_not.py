"""An expression outside the language: is not."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = len(a) is not 3
    for i in range(len(a)):
        a[i] = 0.0
