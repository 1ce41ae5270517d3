"""The index of an update reads the combined array."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray], h: shared[np.ndarray]):
    with sync(h, reduce="+"):
        for i in range(len(a)):
            h[h[a[i]]] += 1
