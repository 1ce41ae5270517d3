"""A Python number stays where no element of another type is larger."""

import numpy as np

from somd import dist, somd


@somd
def f(x: dist[np.ndarray]):
    s = 0.0
    for i in range(len(x)):
        s = max(s, x[i])
    return s


f(np.ones(3, np.float32))
