"""Patterns, reorder-stride: elements taken with a stride, `out[i] = x[i // n + s * (i % n)]`."""

import numpy as np

from somd import dist, somd


@somd
def reordered(x: dist[np.ndarray], stride: int) -> np.ndarray:
    n = len(x) // stride
    out = np.zeros_like(x)
    for i in range(n * stride):
        out[i] = x[i // n + stride * (i % n)]
    return out
