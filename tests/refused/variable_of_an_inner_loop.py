"""The variable of an inner loop, used behind it: the loop may be empty."""

import numpy as np

from somd import dist, somd


@somd
def last(a: dist[np.ndarray], n: int) -> None:
    for i in range(len(a)):
        for j in range(n):
            a[i] += j
        a[i] *= j
