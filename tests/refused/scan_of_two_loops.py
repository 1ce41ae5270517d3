"""A block that is scanned holds one loop that changes the scalar."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray]) -> np.ndarray:
    out = np.empty_like(a)
    s = 0.0
    with sync(s, scan="+"):
        for i in range(len(a)):
            s += a[i]
            out[i] = s
        for i in range(len(a)):
            s += out[i]
            a[i] = s
    return out
