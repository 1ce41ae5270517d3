"""An array of half precision."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 0.0


f(np.ones(3, np.float16))
