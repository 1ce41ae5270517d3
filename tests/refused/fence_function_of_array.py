"""A function reduces scalars."""

from collections.abc import Sequence

import numpy as np

from somd import dist, somd, sync


def furthest(copies: Sequence[float]) -> float:
    return max(copies, key=abs)


@somd
def f(a: dist[np.ndarray], h: np.ndarray) -> None:
    with sync(h, reduce=furthest):
        for i in range(len(a)):
            h[i % 3] += a[i]
