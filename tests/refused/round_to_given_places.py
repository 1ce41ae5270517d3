"""Decimal places that only the call knows."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], places: int):
    for i in range(len(a)):
        a[i] = round(a[i], places)


f(np.ones(8), 2)
