"""Behind the fence `at` differs from one method instance to the next."""

from collections.abc import Sequence

import numpy as np

from somd import dist, somd, sync


def furthest(copies: Sequence[float]) -> float:
    return max(copies, key=abs)


@somd
def f(a: dist[np.ndarray]):
    best = 0.0
    at = 0
    with sync(best, reduce=furthest):
        for i in range(len(a)):
            if abs(a[i]) > abs(best):
                best = a[i]
                at = i
    return best, at
