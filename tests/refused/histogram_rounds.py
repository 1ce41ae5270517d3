"""Floats are added to elements that are integers: each addition rounds."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray], w: dist[np.ndarray]) -> np.ndarray:
    h: shared[np.ndarray] = np.zeros(8, dtype=np.int64)
    with sync(h, reduce="+"):
        for i in range(len(a)):
            h[a[i]] += w[i]
    return h


f(np.zeros(4, dtype=np.int64), np.full(4, 0.5))
