"""A zip with a further argument (SkelCL, the BLAS routine saxpy): `y = a * x + y`."""

import numpy as np

from somd import dist, somd


@somd
def saxpy(a: np.float32, x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for i in range(len(y)):
        y[i] = a * x[i] + y[i]
