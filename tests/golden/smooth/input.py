"""The means of three neighbours, several times over: a loop around a stencil, which multicore runs in tiles of time."""

import numpy as np

from somd import dist, somd


@somd
def smooth(u: dist[np.ndarray], v: dist[np.ndarray], steps: int) -> None:
    for t in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = (int(u[i - 1]) + int(u[i]) + int(u[i + 1])) // 3
        u, v = v, u


def cases():
    made = [np.random.default_rng(1).integers(0, 256, size, dtype=np.uint8) for size in (9, 200_000)]
    return [(levels, levels.copy(), 7) for levels in made]


def failing():
    return [(np.ones(9, np.uint8), np.ones(5, np.uint8), 2)]
