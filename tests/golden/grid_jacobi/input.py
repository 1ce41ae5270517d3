"""Two distributed dimensions, `dim(0, 1)`: a grid of method instances, and two arrays that change places."""

from typing import Annotated

import numpy as np

from somd import dim, dist, somd, sync


@somd
def grid_jacobi(
    a: Annotated[np.ndarray, dist, dim(0, 1)], b: Annotated[np.ndarray, dist, dim(0, 1)], steps: int
) -> np.ndarray:
    for _ in range(steps):
        with sync:
            for i in range(1, a.shape[0] - 1):
                for j in range(1, a.shape[1] - 1):
                    b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        a, b = b, a
    return a


def cases():
    made = [np.random.default_rng(0).random(shape) for shape in ((4, 5), (40, 70))]
    return [(grid, grid.copy(), 3) for grid in made]
