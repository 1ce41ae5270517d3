"""A helper that Numba has compiled."""

import numba
import numpy as np

from somd import dist, somd


@numba.njit
def square(x):
    return x * x


@somd
def squares(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = square(a[i])


squares(np.ones(8))
