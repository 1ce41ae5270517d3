"""An exception that takes a whole array, which other iterations change."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        if a[i] < 0.0:
            raise ValueError("negative", a)
        a[i] = 0.0


f(np.ones(3))
