"""Two loops in the block change `best`."""

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
            best = best if abs(best) > abs(a[i]) else a[i]
        for i in range(len(a)):
            best = best if abs(best) > abs(a[i]) else a[i]
    return best
