"""A global that is None."""

import numpy as np

from somd import dist, somd

LIMIT = None


@somd
def cut(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = min(a[i], LIMIT)


cut(np.ones(8))
