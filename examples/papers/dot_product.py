"""A reduction of a zip (SkelCL, its first listing; Lift, dot): the dot product of two vectors."""

import numpy as np

from somd import dist, somd


@somd
def dot_product(a: dist[np.ndarray], b: dist[np.ndarray]) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total
