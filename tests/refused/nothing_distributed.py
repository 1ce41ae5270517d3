"""No array is distributed."""

import numpy as np

from somd import dist, somd


@somd
def f(a: np.ndarray):
    for i in range(len(a)):
        a[i] = 0.0
