"""More indexes than dimensions, one of them a slice."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    a[1:, 0] = 0.0


f(np.ones(8))
