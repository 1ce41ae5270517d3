"""An attribute is None, in a branch that is not taken."""

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.masked, self.mask = False, None

    @somd
    def step(self, a: dist[np.ndarray]):
        if self.masked:
            for i in range(len(a)):
                a[i] = self.mask[i]


Heat().step(np.ones(8))
