"""Listing 11 of the paper as printed: neighbours are read while they are written."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd, sync, view


@somd
def stencil(G: Annotated[np.ndarray, dist, view((1, 1), (1, 1))], num_iterations: int) -> Annotated[float, reduce("+")]:
    a_constant = 0.5
    total = 0.0
    for _p in range(num_iterations):
        with sync:
            for i in range(1, G.shape[0] - 1):
                for j in range(1, G.shape[1] - 1):
                    G[i, j] = G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1] + a_constant * G[i, j]
    for i in range(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total
