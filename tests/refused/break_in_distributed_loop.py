"""`break` in a distributed loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        if a[i] > 9.0:
            break
        a[i] = 0.0
