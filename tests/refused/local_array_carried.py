"""An array that some iterations take over from earlier ones."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        if i % 2 == 0:
            window = np.zeros(3)
        window[0] += a[i]
        a[i] = window[0]


f(np.ones(8))
