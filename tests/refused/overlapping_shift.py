"""A shift to the right in place."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a) - 1):
        a[i + 1] = 0.5 * a[i]
