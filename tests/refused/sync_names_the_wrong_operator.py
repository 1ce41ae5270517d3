"""`sync` names another operator than the loop uses."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(a: dist[np.ndarray]) -> float:
    s: shared[float] = 0.0
    with sync(s, reduce="*"):
        for i in range(len(a)):
            s += a[i]
    return s
