"""A function whose result NumPy has in half precision."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = np.sqrt(a[i]) > 1


f(np.ones(8, np.int8))
