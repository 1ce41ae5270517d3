"""A target by its place."""

import numpy as np

from somd import dist, somd


@somd("opencl")
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
