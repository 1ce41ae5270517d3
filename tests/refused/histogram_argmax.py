"""A second array is set together with a new maximum."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(key: dist[np.ndarray], value: dist[np.ndarray], high: shared[np.ndarray], at: shared[np.ndarray]):
    with sync(high, reduce="max"):
        for i in range(len(key)):
            if value[i] > high[key[i]]:
                high[key[i]] = value[i]
                at[key[i]] = i
