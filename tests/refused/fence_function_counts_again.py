"""From the second step on every method instance would start with the result of the step before."""

from collections.abc import Sequence

import numpy as np

from somd import dist, somd, sync


def total(copies: Sequence[float]) -> float:
    return sum(copies)


@somd
def f(a: dist[np.ndarray], steps: int) -> float:
    s = 0.0
    for _ in range(steps):
        with sync(s, reduce=total):
            for i in range(len(a)):
                s = s + a[i] if a[i] > 0 else s
    return s
