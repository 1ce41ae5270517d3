"""One array under two names, which an exchange hands to a third: then the loop carries a dependence."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray], c: dist[np.ndarray]):
    a, c = c, a
    for i in range(1, len(c) - 1):
        c[i] = 0.5 * (b[i - 1] + b[i + 1]) + a[i]


f(np.ones(9), np.zeros(9), np.ones(9))
whole = np.ones(9)
f(whole, whole, np.zeros(9))
