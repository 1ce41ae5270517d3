"""A name that stands for another part of an array in each iteration."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    last = a[0, :]
    for i in range(1, len(a)):
        a[i] += last
        last = a[i, :]


f(np.ones((8, 3)))
