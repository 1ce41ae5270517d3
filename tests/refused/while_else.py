"""`else` on `while`."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    k = 0
    while k < 3:
        k += 1
    else:
        k = 0
    for i in range(len(a)):
        a[i] = k
