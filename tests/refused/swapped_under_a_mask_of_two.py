"""Elements under a mask of two axes that change places in one statement."""

import numpy as np

from somd import somd


@somd
def f(a, b):
    mask = a > b
    a[mask], b[mask] = b[mask], a[mask]


f(np.zeros((3, 1)), np.ones((3, 1)))
