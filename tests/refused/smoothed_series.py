"""An exponential mean: a linear recurrence of floats."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], out: dist[np.ndarray], alpha: float):
    s = 0.0
    for i in range(len(a)):
        if a[i] > 0.0:
            s = alpha * a[i] + (1.0 - alpha) * s
        out[i] = s


f(np.ones(8), np.zeros(8), 0.5)
