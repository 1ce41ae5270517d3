"""Accelerate, zipWith of an array and itself: nothing is copied twice, for there is one array."""

import numpy as np

from somd import dist, somd


@somd
def square(xs: dist[np.ndarray]) -> np.ndarray:
    out = np.empty_like(xs)
    for i in range(len(xs)):
        out[i] = xs[i] * xs[i]
    return out
