"""Accelerate, segmented fold: the sums of segments of any lengths, which pointers bound."""

import numpy as np

from somd import dist, somd


@somd
def sums_of_segments(begin: dist[np.ndarray], values: np.ndarray) -> np.ndarray:
    out = np.zeros(len(begin) - 1)
    for i in range(len(out)):
        for k in range(begin[i], begin[i + 1]):
            out[i] += values[k]
    return out
