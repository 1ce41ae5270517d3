"""A scan by `+` looks at what it adds up before the iterations run."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    out = np.empty_like(a)
    s = 0.0
    with sync(s, scan="+"):
        for i in range(len(a)):
            b[i] = a[i] * 0.5
            s += b[i]
            out[i] = s
    return out
