"""A property, which calls the function itself."""

import numpy as np

from somd import dist, somd


class Model:
    a: dist[np.ndarray]

    def __init__(self) -> None:
        self.a = np.ones(8)

    @somd
    @property
    def total(self) -> float:
        total = 0.0
        for i in range(len(self.a)):
            total += self.a[i]
        return total
