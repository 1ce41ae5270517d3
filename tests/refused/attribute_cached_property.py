"""An attribute is computed when it is first read."""

from functools import cached_property

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.n = 8

    @cached_property
    def dx(self):
        return 1.0 / self.n

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            a[i] = a[i] * self.dx


Heat().step(np.ones(8))
