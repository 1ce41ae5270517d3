"""An expression outside the language: walrus."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    if (n := len(a)) > 3:
        a[0] = n
    for i in range(len(a)):
        a[i] = 0.0
