"""A combined array is read while it is combined."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray], out: dist[np.ndarray]):
    h: shared[np.ndarray] = np.zeros(8, dtype=np.int64)
    with sync(h, reduce="+"):
        for i in range(len(a)):
            h[a[i]] += 1
            out[i] = h[a[i]]
