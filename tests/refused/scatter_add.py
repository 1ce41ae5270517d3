"""A histogram: the element written depends on data."""

import numpy as np

from somd import dist, somd


@somd
def f(out: dist[np.ndarray], index: dist[np.ndarray]):
    for i in range(len(index)):
        out[index[i]] += 1.0
