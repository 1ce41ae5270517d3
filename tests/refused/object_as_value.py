"""`self` is returned, handed on and kept; `super()` is called."""

import numpy as np

from somd import dist, somd


def other(heat, x):
    return heat.alpha * x


class Base:
    def scale(self, x):
        return x


class Heat(Base):
    def __init__(self):
        self.alpha = 0.5

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            a[i] = other(self, a[i]) + super().scale(a[i])
        me = self
        return self


Heat().step(np.ones(8))
