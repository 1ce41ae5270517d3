"""A loop over an array that a call gives."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray]):
    h = np.zeros(4, dtype=np.int64)
    with sync(h, reduce="+"):
        for v in a.ravel():
            h[v] += 1
    return h
