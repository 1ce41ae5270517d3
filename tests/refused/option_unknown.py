"""An option that there is not."""

import numpy as np

from somd import dist, somd


@somd(worker=2)
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
