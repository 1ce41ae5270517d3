"""A statement with two mistakes and one with another: an error for each statement."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = [1, 2][0] + len("x")
        b = {1}
