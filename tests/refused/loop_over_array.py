"""A loop over the elements."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> float:
    s = 0.0
    for x in a:
        s += x
    return s
