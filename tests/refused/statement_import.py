"""A statement outside the language: import."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    import math
    for i in range(len(a)):
        a[i] = 0.0
