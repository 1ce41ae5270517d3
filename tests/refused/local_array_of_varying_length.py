"""An array of each iteration, as long as the iteration's number."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], out: dist[np.ndarray]):
    for i in range(len(a)):
        window = np.zeros(i + 1)
        window[0] = a[i]
        out[i] = window[0]


f(np.ones(8), np.zeros(8))
