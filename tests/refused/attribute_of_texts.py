"""An attribute is an array of a dtype that is not supported."""

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.grid = type("Grid", (), {})()
        self.grid.names = np.array(["a", "b"])

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            a[i] = self.grid.names[i]


Heat().step(np.ones(8))
