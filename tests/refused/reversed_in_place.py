"""Reversal in place: iteration i meets iteration n-1-i."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[len(a) - 1 - i]
