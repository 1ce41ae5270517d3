"""A float that is added to integers in place, which NumPy refuses."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    a += 0.5


f(np.ones(8, dtype=np.int64))
