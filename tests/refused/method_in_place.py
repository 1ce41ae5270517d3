"""Methods by which arrays change themselves."""

import numpy as np

from somd import dist, somd


@somd
def ranked(a: dist[np.ndarray]):
    b = np.ones(len(a))
    b[1:].sort()
    a.partition(1)
    for i in range(len(a)):
        a[i] = a[i] * b[i]


ranked(np.array([3.0, 1.0, 2.0]))
