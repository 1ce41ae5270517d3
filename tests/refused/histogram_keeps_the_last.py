"""`>=` keeps the last of equal values: of floats 0.0 and -0.0 are equal, so the order would matter."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(key: dist[np.ndarray], value: dist[np.ndarray], high: shared[np.ndarray]):
    with sync(high, reduce="max"):
        for i in range(len(key)):
            if value[i] >= high[key[i]]:
                high[key[i]] = value[i]


f(np.zeros(3, np.int64), np.ones(3), np.zeros(1))
