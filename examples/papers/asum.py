"""Patterns, asum: the sum of absolute values, which the rewrite rules fuse; here nothing has been taken apart."""

import numpy as np

from somd import dist, somd


@somd
def asum(x: dist[np.ndarray]) -> np.float32:
    total = np.float32(0.0)
    for i in range(len(x)):
        total += abs(x[i])
    return total
