"""A private copy evaluates what plain Python would skip."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def f(key: dist[np.ndarray], flag: dist[np.ndarray]) -> np.ndarray:
    every: shared[np.ndarray] = np.ones(4, dtype=np.bool_)
    with sync(every, reduce="and"):
        for i in range(len(key)):
            every[key[i]] = every[key[i]] and flag[key[i] + 4] > 0
    return every
