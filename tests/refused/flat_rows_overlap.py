"""A matrix laid out by hand whose rows are one element longer than what the index says."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], width: int, height: int) -> None:
    for y in range(height):
        for x in range(width + 1):
            a[y * width + x] = y
