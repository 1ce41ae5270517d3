"""The last value of a scalar is used after the loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> float:
    x = 0.0
    for i in range(len(a)):
        x = a[i] * 2.0
        a[i] = x
    return x
