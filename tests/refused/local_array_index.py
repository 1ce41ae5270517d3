"""An index beyond an array that each iteration has for itself."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        window = np.zeros(3)
        for k in range(i):
            window[k] = a[i]
        a[i] = window[0]


f(np.ones(8))
