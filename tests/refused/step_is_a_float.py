"""A step that is no integer."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], step: float):
    for i in range(0, len(a), step):
        a[i] = 0.0


f(np.zeros(5), 1.5)
