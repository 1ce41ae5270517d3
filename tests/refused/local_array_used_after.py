"""An array of each iteration, of which the last is used after the loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        window = np.zeros(3)
        window[0] = a[i]
        a[i] = window[0] + window[1]
    return window[0]


f(np.ones(8))
