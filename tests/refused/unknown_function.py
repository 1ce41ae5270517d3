"""A function that is no helper."""

import random

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = random.random()


f(np.ones(8))
