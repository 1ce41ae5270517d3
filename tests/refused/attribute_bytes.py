"""An attribute is bytes."""

import numpy as np

from somd import dist, somd


class Heat:
    def __init__(self):
        self.mode = b"wide"

    @somd
    def step(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            if self.mode == b"wide":
                a[i] = 2.0 * a[i]


Heat().step(np.ones(8))
