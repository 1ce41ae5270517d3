"""A number that is an int on one path and a float on another, in an exception."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], k: int) -> None:
    x = 0
    if k > 1:
        x = 0.5
    if k > 2:
        raise ValueError(x)
    for i in range(len(a)):
        a[i] = x


f(np.ones(3), 1)
