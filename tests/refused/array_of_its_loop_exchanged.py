"""A loop over an array whose name stands for another array in it; Python goes on with the first one."""

import numpy as np

from somd import dist, single, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    with single:
        for x in a:
            a, b = b, a
            b[0] += x
    for i in range(len(a)):
        a[i] += 1.0


f(np.ones(4), np.zeros(4))
