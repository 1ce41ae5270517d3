"""What Numba has made of a function."""

import numba
import numpy as np

from somd import dist, somd


@somd
@numba.njit
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
