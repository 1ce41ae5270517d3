"""Patterns, iterate: a function applied to an array n times, the output of one step being the input of the next."""

import numpy as np

from somd import dist, somd


@somd
def iterated(x: dist[np.ndarray], times: int) -> np.ndarray:
    now = np.empty_like(x)
    for i in range(len(x)):
        now[i] = x[i]
    for _ in range(times):
        for i in range(len(now)):
            now[i] = 3.75 * now[i] * (1.0 - now[i])
    return now
