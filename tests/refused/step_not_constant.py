"""The step is an argument."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], step: int):
    for i in range(0, len(a), step):
        a[i] = 0.0
