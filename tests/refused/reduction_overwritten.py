"""An accumulator that is also set."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> float:
    s = 0.0
    for i in range(len(a)):
        if a[i] < 0.0:
            s = 0.0
        s += a[i]
    return s


f(np.ones(40))
