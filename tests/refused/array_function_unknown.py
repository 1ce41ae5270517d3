"""A function of whole arrays that is not taken."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    a[:] = np.real_if_close(a)


f(np.ones(8))
