"""A value that a method cannot use hides neither the other places where it is read nor other mistakes."""

import numpy as np

from somd import dist, somd

rng = np.random.default_rng(1)


@somd
def walk(x: dist[np.ndarray], y: dist[np.ndarray]):
    for i in range(len(x)):
        x[i] += rng.normal()
    for i in range(len(y)):
        y[i] += rng.normal()
    label = ["walked"]
    z = np.sqqrt(x)


walk(np.ones(8), np.ones(8))
