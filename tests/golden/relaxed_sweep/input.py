"""A sweep in place, relaxed: an MI reads its neighbours' rows as they were when the block began.

Only elements that are written later are read, so any number of MIs gives what plain Python gives.
"""

import numpy as np

from somd import dist, somd, sync


@somd
def relaxed_sweep(G: dist[np.ndarray], steps: int) -> float:
    change = 0.0
    for _ in range(steps):
        with sync(relaxed=True):
            for i in range(G.shape[0] - 1):
                for j in range(G.shape[1] - 1):
                    G[i, j] = 0.5 * (G[i + 1, j] + G[i, j + 1])
    with sync(relaxed=True):
        for i in range(G.shape[0] - 2):
            change = max(change, G[i + 2, 0] - G[i, 0])
            G[i, 0] = 0.5 * G[i + 2, 0]
    return change


def cases():
    return [(np.random.default_rng(2).random(shape), 3) for shape in ((5, 6), (70, 51))]
