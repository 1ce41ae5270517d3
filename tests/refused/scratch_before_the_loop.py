"""An array that is meant for each iteration alone, allocated before the loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    w = np.zeros(2)
    for i in range(len(a)):
        w[0] = a[i]
        w[1] = 2.0 * a[i]
        a[i] = w[0] + w[1]


f(np.ones(8))
