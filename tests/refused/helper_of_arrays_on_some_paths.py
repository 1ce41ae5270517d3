"""A helper of arrays that returns a value on some paths only."""

import numpy as np

from somd import dist, somd


def found(w, x):
    for k in range(len(w)):
        if w[k] > x:
            return k


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        w = np.ones(2)
        if found(w, a[i]) > 0:
            a[i] = 0.0


f(np.ones(8))
