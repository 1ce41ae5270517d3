"""A text that says what to compute."""

import numpy as np

from somd import dist, somd


@somd
def scale(a: dist[np.ndarray], how: str):
    for i in range(len(a)):
        if how > "d":
            a[i] *= 2.0


scale(np.ones(8), "double")
