"""A combined array is set while it is combined."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray], h: shared[np.ndarray]):
    with sync(h, reduce="+"):
        h[0] = 0
        for i in range(len(a)):
            h[a[i]] += 1
