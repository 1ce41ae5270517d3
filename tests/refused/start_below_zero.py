"""A start that may be below zero, where the element read is written by another iteration."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], lo: int, hi: int):
    for i in range(lo, hi):
        a[i] = -a[i] + a[hi - 1]
