"""An array that is an attribute, without `dist` in the class."""

import numpy as np

from somd import somd


class Heat:
    def __init__(self):
        self.u = np.ones(8)

    @somd
    def step(self):
        for i in range(len(self.u)):
            self.u[i] = 2.0 * self.u[i]


Heat().step()
