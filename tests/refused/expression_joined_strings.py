"""An expression outside the language: joined strings."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = "a" "b"
    for i in range(len(a)):
        a[i] = 0.0
