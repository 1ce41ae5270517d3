"""An iterative Stencil (SkelCL, heat simulation): heat flows from left to right, and 255 stands outside."""

import numpy as np

from somd import dist, somd


@somd
def heat_flow(heat: dist[np.ndarray], steps: int) -> np.ndarray:
    rows, columns = heat.shape
    now = np.full((rows + 2, columns + 1), 255.0)
    after = np.full((rows + 2, columns + 1), 255.0)
    for i in range(rows):
        for j in range(columns):
            now[i + 1, j + 1] = heat[i, j]
    for _ in range(steps):
        for i in range(1, rows + 1):
            for j in range(1, columns + 1):
                after[i, j] = (now[i - 1, j - 1] + now[i, j - 1] + now[i + 1, j - 1]) / 3.0
        now, after = after, now
    return now
