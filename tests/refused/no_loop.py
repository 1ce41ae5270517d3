"""A distributed array, and no loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> float:
    return a[0]
