"""Red-black with the wrong step: neighbours have the same colour."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(1, len(a) - 1, 3):
        a[i] = a[i - 1] + a[i + 2] + a[i + 3]
