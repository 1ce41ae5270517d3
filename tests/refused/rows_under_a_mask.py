"""Rows of a matrix under a mask, read and written."""

import numpy as np

from somd import dist, somd


@somd
def f(x: dist[np.ndarray]):
    y = x[x[:, 0] > 0.5]
    x[x[:, 1] > 0.5] = 0.0
    return y * 2.0


f(np.linspace(0.0, 1.0, 12).reshape(4, 3))
