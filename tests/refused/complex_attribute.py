"""An attribute that numbers do not have here."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i].itemsize


f(np.ones(8))
