"""A Python number that the type of the other operand does not hold."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] + 300


f(np.ones(8, np.int8))
