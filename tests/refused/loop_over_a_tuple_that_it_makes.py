"""A loop over the numbers of a tuple that the method makes."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    primes = (3, 5, 7)
    for i in range(len(a)):
        s = 0.0
        for p in primes:
            s += a[i] / p
        a[i] = s


f(np.ones(8))
