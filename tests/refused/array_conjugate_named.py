"""The conjugate of an array of real numbers under a name: by the method it is the array itself, which is written."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    same = a.conj()
    a *= 2.0
    return same.sum()


f(np.ones(8))
