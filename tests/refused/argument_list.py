"""A list as an argument."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 0.0


f([1.0, 2.0])
