"""One array under two names: then the loop carries a dependence."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a) - 1):
        b[i] = a[i + 1]


whole = np.ones(9)
f(whole, whole)
