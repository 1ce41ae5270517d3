"""An attribute is a string."""

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.mode = "wide"

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            if self.mode == "wide":
                a[i] = 2.0 * a[i]


Heat().step(np.ones(8))
