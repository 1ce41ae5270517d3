"""A maximum with the place where it stands: the earliest of equals, as plain Python finds it."""

import numpy as np

from somd import dist, somd


@somd
def argmax(a: dist[np.ndarray]) -> tuple[float, int]:
    best = a[0]
    at = 0
    for i in range(1, len(a)):
        if a[i] > best:
            best = a[i]
            at = i
    return best, at


def cases():
    return [(np.random.default_rng(n).integers(0, 50, n).astype(float),) for n in (8, 5000)]
