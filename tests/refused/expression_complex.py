"""An expression outside the language: complex."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = 1j
    for i in range(len(a)):
        a[i] = 0.0
