"""Accelerate, permute with a combining function: a histogram of ten bins."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def histogram(values: dist[np.ndarray]) -> np.ndarray:
    bins: shared[np.ndarray] = np.zeros(10, np.int64)
    with sync(bins, reduce="+"):
        for i in range(len(values)):
            bins[int(values[i] / 10)] += 1
    return bins
