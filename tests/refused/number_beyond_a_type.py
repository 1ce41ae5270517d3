"""A number that is written out, and that a type of NumPy's integers does not hold."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] + np.int8(-129)


f(np.ones(8, np.int8))
