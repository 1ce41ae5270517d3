"""An attribute overlaps an argument in part."""

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.u = np.ones(8)

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            a[i] = 2.0 * self.u[i]


heat = Heat()
heat.step(heat.u[1:])
