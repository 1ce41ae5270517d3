"""An array of records."""

import numpy as np

from somd import dist, somd


@somd
def f(p: dist[np.ndarray]):
    for i in range(len(p)):
        p[i] = p[i] * 2.0


f(np.zeros(4, dtype=[("x", float), ("y", float)]))
