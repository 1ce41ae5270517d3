"""Random numbers drawn in a loop."""

import numpy as np

from somd import dist, somd


@somd
def noise(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] += np.random.rand()


noise(np.ones(8))
