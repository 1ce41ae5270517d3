"""The step is an argument, and an iteration reads what the one before it writes."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], step: int):
    for i in range(step, len(a), step):
        a[i] = a[i - step]
