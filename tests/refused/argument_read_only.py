"""A read-only array that is written."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 0.0


array = np.ones(3)
array.flags.writeable = False
f(array)
