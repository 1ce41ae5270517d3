"""One array is combined and read under another name."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray], h: shared[np.ndarray]):
    with sync(h, reduce="+"):
        for i in range(len(a)):
            h[a[i]] += 1


same = np.zeros(8, dtype=np.int64)
f(same, same)
