"""A statement outside the language: try star."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    try:
        a[0] = 1.0
    except* ValueError:
        pass
    for i in range(len(a)):
        a[i] = 0.0
