"""The loop tests the sum that it makes."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> float:
    s = 0.0
    for i in range(len(a)):
        if s < 10.0:
            s += a[i]
    return s
