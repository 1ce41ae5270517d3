"""One accumulator, two operators."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> float:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        s *= 0.5
    return s
