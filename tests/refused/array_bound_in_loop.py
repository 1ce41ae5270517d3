"""A whole array is bound in a distributed loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    b = np.zeros(3)
    for i in range(len(a)):
        b = np.zeros(4)
        a[i] = b[0]
