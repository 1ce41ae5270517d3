"""An attribute is an object, and used as a value."""

from types import SimpleNamespace

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.grid = SimpleNamespace(dx=0.5)

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            a[i] = a[i] * self.grid


Heat().step(np.ones(8))
