"""An expression outside the language: dict."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = {1: 2}
    for i in range(len(a)):
        a[i] = 0.0
