"""The loop variable is used after the loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> int:
    for i in range(len(a)):
        a[i] = 1.0
    return i
