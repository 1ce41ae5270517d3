"""A number in a dictionary, by its key."""

import numpy as np

from somd import dist, somd

SETTINGS = {"scale": 1.5}


@somd
def scale(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] *= SETTINGS["scale"]


scale(np.ones(8))
