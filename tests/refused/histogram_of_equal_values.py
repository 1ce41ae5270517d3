"""Copies of an array of floats, updated so that the last of equal values would stay."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(key: dist[np.ndarray], value: dist[np.ndarray], high: shared[np.ndarray]) -> None:
    with sync(high, reduce="max"):
        for i in range(len(key)):
            high[key[i]] = max(value[i], high[key[i]])


f(np.zeros(3, np.int64), np.ones(3), np.zeros(1))
