"""A view with one pair for an array of two axes."""

from typing import Annotated

import numpy as np

from somd import dist, somd, view


@somd
def f(a: Annotated[np.ndarray, dist, view((1, 1))], b: dist[np.ndarray]):
    for i in range(1, a.shape[0] - 1):
        for j in range(a.shape[1]):
            b[i, j] = a[i - 1, j] + a[i + 1, j]
