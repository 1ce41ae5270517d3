"""A SOMD method."""

import numpy as np

from somd import dist, somd


@somd
@somd
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
