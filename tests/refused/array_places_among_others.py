"""Where elements are not zero, a tuple of arrays, beside another value."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    places, top = np.nonzero(a > 1.0), a.max()
    return top * len(places[0])


f(np.ones(8))
