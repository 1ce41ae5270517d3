"""The loop does not change what the fence names."""

from collections.abc import Sequence

import numpy as np

from somd import dist, somd, sync


def furthest(copies: Sequence[float]) -> float:
    return max(copies, key=abs)


@somd
def f(a: dist[np.ndarray]) -> float:
    best = 0.0
    with sync(best, reduce=furthest):
        for i in range(len(a)):
            a[i] = a[i] + best
    return best
