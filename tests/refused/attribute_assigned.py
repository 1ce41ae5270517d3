"""An attribute is assigned, one is added to, one is swapped."""

import numpy as np

from somd import dist, somd


class Heat:
    u: dist[np.ndarray]

    def __init__(self):
        self.u, self.v = np.ones(8), np.ones(8)
        self.total, self.steps = 0.0, 0

    @somd
    def step(self):
        s = 0.0
        for i in range(len(self.u)):
            s += self.u[i]
        self.total = s
        self.steps += 1
        self.u, self.v = self.v, self.u


Heat().step()
