"""An array of indexes."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], index: dist[np.ndarray]):
    a[index] += 1.0


f(np.ones(8), np.arange(3))
