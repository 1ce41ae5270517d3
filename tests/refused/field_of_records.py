"""A structured array."""

import numpy as np

from somd import dist, somd


@somd
def f(p: dist[np.ndarray], out: dist[np.ndarray]):
    for i in range(len(p)):
        out[i] = p[i]["x"] + p["y"][i]
