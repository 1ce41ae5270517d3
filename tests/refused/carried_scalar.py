"""A scalar that goes from iteration to iteration."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    last = 0.0
    for i in range(len(a)):
        a[i] = a[i] + last
        last = a[i]
