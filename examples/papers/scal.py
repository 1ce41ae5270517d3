"""Patterns, scal: a vector times a number, in place."""

import numpy as np

from somd import dist, somd


@somd
def scal(a: np.float32, x: dist[np.ndarray]) -> None:
    for i in range(len(x)):
        x[i] = a * x[i]
