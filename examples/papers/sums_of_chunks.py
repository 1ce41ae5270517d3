"""Patterns, split and join: chunks of an array are reduced side by side, and the results are one array."""

import numpy as np

from somd import dist, somd


@somd
def sums_of_chunks(x: dist[np.ndarray], size: int) -> np.ndarray:
    sums = np.zeros(len(x) // size)
    for chunk in range(len(sums)):
        for k in range(size):
            sums[chunk] += x[chunk * size + k]
    return sums
