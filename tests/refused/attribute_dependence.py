"""A prefix sum over an attribute."""

import numpy as np

from somd import dist, somd


class Heat:
    u: dist[np.ndarray]

    def __init__(self):
        self.u = np.ones(8)

    @somd
    def step(self):
        for i in range(1, len(self.u)):
            self.u[i] = self.u[i] + self.u[i - 1]


Heat().step()
