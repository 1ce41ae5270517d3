"""An attribute is too short."""

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.mask = np.ones(7)

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            a[i] = 2.0 * self.mask[i]


Heat().step(np.ones(8))
