"""A list where an array is expected."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    return np.outer(a, [1.0, 2.0])


f(np.ones(3))
