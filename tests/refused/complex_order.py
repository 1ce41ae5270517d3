"""Complex numbers compared."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 1j if a[i] < 2 else 0j


f(np.ones(8, np.complex64))
