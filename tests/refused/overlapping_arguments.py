"""Two arguments overlap in memory."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        b[i] = a[i]


whole = np.ones(9)
f(whole[:-1], whole[1:])
