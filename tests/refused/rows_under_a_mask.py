"""Parts of an array of three dimensions under a mask of two."""

import numpy as np

from somd import dist, somd


@somd
def f(x: dist[np.ndarray]):
    x[x[:, :, 1] > 0.5] = 0.0


f(np.linspace(0.0, 1.0, 12).reshape(2, 3, 2))
