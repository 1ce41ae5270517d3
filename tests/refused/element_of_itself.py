"""A loop over an array's elements that writes what a later iteration reads."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i, (x, y) in enumerate(zip(a, b), start=1):
        b[i] = x + y
