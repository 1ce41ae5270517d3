"""Helpers of arrays: a value on some paths only, a call that may not happen, one that changes what stands beside it."""

import numpy as np

from somd import dist, somd


def found(w, x):
    for k in range(len(w)):
        if w[k] > x:
            return k


def largest(w):
    w[0] = max(w[0], w[1])
    return w[0]


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        w = np.ones(2)
        if found(w, a[i]) > 0:
            a[i] = 0.0
        a[i] = 1.0 if a[i] > 2.0 else largest(w)
        w[0] += largest(w)
        a[i] = w[0] + largest(w)


f(np.ones(8))
