"""A marker in the brackets of `dist`: beside `dist` is where markers stand."""

import numpy as np

from somd import dim, dist, somd


@somd
def f(a: dist[np.ndarray, dim(0)]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
