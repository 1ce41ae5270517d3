"""In-place prefix sum."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(1, len(a)):
        a[i] = a[i] + 0.5 * a[i - 1]
