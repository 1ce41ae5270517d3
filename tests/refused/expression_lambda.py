"""An expression outside the language: a `lambda` that is no function of the method."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        g = lambda x: x  # noqa: E731
        a[i] = g(0.0)
