"""`raise` without an exception: there is none to raise again."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        if a[i] < 0.0:
            raise
        a[i] = 0.0
