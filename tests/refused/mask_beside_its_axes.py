"""A mask of all axes of an array, with a slice for one of them."""

import numpy as np

from somd import dist, somd


@somd
def f(x: dist[np.ndarray]):
    x[:, x > 0.5] = 0.0


f(np.linspace(0.0, 1.0, 12).reshape(3, 4))
