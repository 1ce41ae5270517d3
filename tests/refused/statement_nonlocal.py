"""A statement outside the language: nonlocal."""

import numpy as np

from somd import dist, somd


def make():
    g = 0

    @somd
    def f(a: dist[np.ndarray]) -> None:
        nonlocal g
        g = 1
        for i in range(len(a)):
            a[i] = 0.0

    return f


make()
