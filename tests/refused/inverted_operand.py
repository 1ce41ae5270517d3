"""`~` of a bool that is Python's on some paths: there it gives -1 or -2."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], c: dist[np.ndarray], n: int):
    for i in range(len(a)):
        kept = a[i] > 0 or n > 0
        c[i] = ~kept


f(np.ones(8), np.zeros(8, dtype=np.int64), 1)
