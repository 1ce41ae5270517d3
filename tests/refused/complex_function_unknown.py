"""A function that takes no complex numbers here."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = np.arcsin(a[i])


f(np.ones(8, np.complex128))
