"""The inner bound is what the loop counts."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], n: int) -> int:
    count = 0
    for i in range(n):
        for j in range(count + 1):
            a[i, j] = 1.0
            count += 1
    return count
