"""Numbers in a dict."""

import numpy as np

from somd import dist, somd

SETTINGS = {0: 1.5}


@somd
def scale(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] *= SETTINGS[0]


scale(np.ones(8))
