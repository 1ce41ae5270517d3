"""A number in the place of the type."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[3]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
