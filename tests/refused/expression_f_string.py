"""An expression outside the language: f string."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = f"{len(a)}"
    for i in range(len(a)):
        a[i] = 0.0
