"""Values under another mask than that of the statement, which NumPy pairs in order."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    a[a > 0] = a[a < 0] * 2.0


f(np.ones((8, 2)))
