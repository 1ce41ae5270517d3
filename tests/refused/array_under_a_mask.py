"""The elements under a mask, whose number is not known."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    return a[a > 0] * 2.0


f(np.ones(8))
