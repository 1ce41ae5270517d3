"""The larger of two complex numbers."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = max(a[i], 2j)


f(np.ones(8, np.complex128))
