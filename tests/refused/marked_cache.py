"""A function behind a cache of its results."""

import functools

import numpy as np

from somd import dist, somd


@somd
@functools.lru_cache
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
