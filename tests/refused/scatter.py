"""A permutation that nobody has proved to be one."""

import numpy as np

from somd import dist, somd


@somd
def f(out: dist[np.ndarray], index: dist[np.ndarray], x: dist[np.ndarray]):
    for i in range(len(index)):
        out[index[i]] = x[i]
