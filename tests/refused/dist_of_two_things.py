"""More in the brackets of `dist` than a type."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray, 3]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
