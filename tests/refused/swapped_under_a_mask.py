"""Elements under a mask that change places with those of another array."""

import numpy as np

from somd import somd


@somd
def f(a, b, mask):
    t = a[mask].copy()
    a[mask] = b[mask]
    b[mask] = t


f(np.zeros((3, 1)), np.ones((3, 1)), np.array([[True], [False], [True]]))
