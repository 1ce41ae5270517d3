"""Lengths that do not go together, found before the loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    a[1:] += b


f(np.ones(8), np.ones(8))
