"""Indexes that come from data: tested where they happen, in a slave and in the master."""

import numpy as np

from somd import dist, somd


@somd
def gather(x: np.ndarray, index: dist[np.ndarray], last: int) -> np.ndarray:
    y = np.zeros(len(index))
    for i in range(len(index)):
        if index[i] != last and x[index[i]] > 0.0:
            y[i] = x[index[i]]
    y[0] += x[last]
    return y


def cases():
    generator = np.random.default_rng(0)
    return [(generator.random(11) - 0.5, generator.integers(-11, 11, n), 3) for n in (6, 4000)]


def failing():
    """Arguments for which the method raises IndexError, as plain Python does."""
    index = np.zeros(4000, np.int64)
    index[[1800, 3000]] = 11, 12
    return [(np.ones(11), index, 3), (np.ones(11), np.zeros(4000, np.int64), -12)]
