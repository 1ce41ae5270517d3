"""Red-black relaxation: a fence in a uniform loop, a declared view, and a sum in the fixed tree."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd, sync, view


@somd
def stencil(G: Annotated[np.ndarray, dist, view((1, 1), (1, 1))], steps: int) -> Annotated[float, reduce("+")]:
    total = 0.0
    for p in range(steps):
        with sync:
            # one colour after the other
            for i in range(1, G.shape[0] - 1):
                for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                    G[i, j] = 0.25 * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1])
    for i in range(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


RTOL = 1e-12


def cases():
    return [(np.random.default_rng(1).random(shape), 3) for shape in ((5, 6), (70, 51))]
