"""A chained comparison of complex numbers."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 1j if 0 == a[i] == 2j else 2j


f(np.ones(8, np.complex128))
