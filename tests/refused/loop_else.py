"""`else` on a loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 0.0
    else:
        a[0] = 1.0
