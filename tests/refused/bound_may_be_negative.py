"""A start that may be negative counts from the end."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], lo: int, hi: int):
    for i in range(lo, hi):
        a[i] = -a[i]
