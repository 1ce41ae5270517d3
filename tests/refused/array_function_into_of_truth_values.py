"""A function of NumPy that truth values do not have, into an array."""

import numpy as np

from somd import somd


@somd
def f(a, b, c):
    np.subtract(a, b, out=c, where=a)


f(np.ones(3, bool), np.zeros(3, bool), np.zeros(3, bool))
