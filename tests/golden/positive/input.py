"""A filter: each part counts what it will keep, then writes it where the parts before it end."""

import numpy as np

from somd import dist, somd


@somd
def positive(a: dist[np.ndarray], out: dist[np.ndarray]) -> int:
    k = 0
    for i in range(len(a)):
        if a[i] > 0.0:
            out[k] = a[i]
            k += 1
    return k


def cases():
    rng = np.random.default_rng(0)
    return [(rng.uniform(-1.0, 1.0, n), np.zeros(n)) for n in (9, 0, 70_001)]


def failing():
    return [(np.ones(50_000), np.zeros(30_000)), (np.ones(20), np.zeros(3))]
