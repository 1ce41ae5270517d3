"""A recurrence in a block that combines something else."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    s = 0.0
    with sync(s, reduce="+"):
        for i in range(1, len(a)):
            s += a[i]
            b[i] = b[i - 1] + a[i]
    return s


f(np.ones(9), np.ones(9))
