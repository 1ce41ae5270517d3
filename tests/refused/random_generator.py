"""A generator of random numbers as an argument."""

import numpy as np

from somd import dist, somd


@somd
def noise(a: dist[np.ndarray], rng):
    for i in range(len(a)):
        a[i] += rng.normal()


noise(np.ones(8), np.random.default_rng(1))
