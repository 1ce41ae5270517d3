"""A statement outside the language: match."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    match len(a):
        case 1:
            a[0] = 1.0
    for i in range(len(a)):
        a[i] = 0.0
