"""A vector where a matrix is indexed."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], n: int):
    for i in range(n):
        for j in range(n):
            a[i, j] = 0.0


f(np.ones(8), 2)
