"""Relaxed, but the writes of two iterations of the outer loop meet, and the inner loop has no part of its own."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    with sync(relaxed=True):
        for i in range(len(b)):
            for j in range(len(b)):
                a[i + j] = a[i] * b[j]
