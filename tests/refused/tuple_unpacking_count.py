"""Three values for two names."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x, y = 1, 2, 3
    for i in range(len(a)):
        a[i] = x + y


f(np.ones(8))
