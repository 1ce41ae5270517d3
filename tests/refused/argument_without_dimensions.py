"""An array without dimensions."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], n: int):
    for i in range(n):
        a[i] = 0.0


f(np.array(1.0), 1)
