"""A polyview narrower than the reads along one axis of a solid."""

from typing import Annotated

import numpy as np

from somd import dist, polyview, somd


@somd
def f(a: Annotated[np.ndarray, dist, polyview((1, 1), (1, 1), (0, 1))], b: dist[np.ndarray]):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            for k in range(1, a.shape[2]):
                b[i, j, k] = a[i - 1, j, k] + a[i, j + 1, k] + a[i, j, k - 1]
