"""A statement outside the language: global."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    global G
    G = 1
    for i in range(len(a)):
        a[i] = 0.0
