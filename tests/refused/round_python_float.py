"""A Python float rounded to decimal places."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = round(i * 0.1, 1)


f(np.ones(8))
