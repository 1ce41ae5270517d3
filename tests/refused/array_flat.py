"""All elements of a matrix, one after the other."""

import numpy as np

from somd import somd


@somd
def f(a):
    a.flat[:] = 1.0
    return a * 2.0


f(np.ones((3, 4)))
