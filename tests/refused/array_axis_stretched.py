"""An axis of length 1 that the text does not show."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]):
    a *= b


f(np.ones((8, 3)), np.ones((8, 1)))
