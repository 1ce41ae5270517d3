"""A result that is Python's bool or NumPy's, as `and` has it."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], wanted: bool):
    for i in range(len(a)):
        wanted = wanted and a[i] > 0
    return wanted


f(np.ones(8), False)
