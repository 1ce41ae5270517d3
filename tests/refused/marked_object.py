"""An object that can be called."""

import numpy as np

from somd import dist, somd


class Double:
    def __call__(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = 2.0 * a[i]


double = somd(Double())
