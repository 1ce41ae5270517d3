"""The updates combine with another operator than the fence."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray], h: shared[np.ndarray]):
    with sync(h, reduce="max"):
        for i in range(len(a)):
            h[a[i]] = max(h[a[i]], i)
            h[0] += 1
