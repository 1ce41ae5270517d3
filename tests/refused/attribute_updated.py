"""An array that an object has, changed by an operator."""

import numpy as np

from somd import somd


class Spring:
    def __init__(self) -> None:
        self.x = np.ones(8)
        self.v = np.zeros(8)

    @somd
    def step(self, dt: float):
        self.v -= self.x * dt


Spring().step(0.1)
