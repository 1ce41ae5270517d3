"""A corner is read, which a polyview does not have."""

from typing import Annotated

import numpy as np

from somd import dist, polyview, somd


@somd
def f(a: Annotated[np.ndarray, dist, polyview((1, 1), (1, 1))], b: dist[np.ndarray]):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i + 1, j + 1]
