"""A lambda has no name by which a later call could find it."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray]) -> float:
    best = 0.0
    with sync(best, reduce=lambda copies: copies[0]):
        for i in range(len(a)):
            best = best if best > a[i] else a[i]
    return best
