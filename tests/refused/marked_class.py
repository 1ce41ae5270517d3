"""A class."""

import numpy as np

from somd import dist, somd


@somd
class Model:
    def double(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = 2.0 * a[i]
