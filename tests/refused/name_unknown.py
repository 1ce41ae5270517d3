"""A name that is not defined anywhere."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] * factor


f(np.ones(8))
