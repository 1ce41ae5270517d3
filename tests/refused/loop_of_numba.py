"""Numba's `prange` in a method."""

import numpy as np
from numba import prange

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> float:
    s = 0.0
    for i in prange(len(a)):
        s += a[i]
    return s
