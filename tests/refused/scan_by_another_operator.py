"""What a scan by `+` hands on is only added to."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray]) -> np.ndarray:
    out = np.empty_like(a)
    s = 1.0
    with sync(s, scan="+"):
        for i in range(len(a)):
            s *= a[i]
            out[i] = s
    return out
