"""The design's first example: one distributed loop, one check before it."""

import numpy as np

from somd import dist, somd


@somd
def vector_add(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


def cases():
    return [(np.arange(7.0), np.ones(7)), (np.arange(2000.0), np.linspace(0.0, 1.0, 2000))]
