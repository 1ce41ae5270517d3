"""A marker in the place of the type."""

import numpy as np

from somd import dim, dist, somd


@somd
def f(a: dist[dim(0)]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
