"""A search in each iteration, and its variable behind it: what is in the way is the variable, not the end of the search."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], keys: dist[np.ndarray], out: dist[np.ndarray]) -> None:
    for i in range(len(keys)):
        for j in range(len(a)):
            if a[j] > keys[i]:
                break
        out[i] = j


f(np.arange(4.0), np.array([1.0, 7.0, -1.0]), np.zeros(3, np.int64))
