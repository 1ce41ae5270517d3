"""The fence combines one array; the other one is proved as ever."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray], h: shared[np.ndarray]):
    with sync(h, reduce="+"):
        for i in range(1, len(a)):
            h[a[i]] += 1
            a[i] = a[i - 1]
