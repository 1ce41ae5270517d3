"""An element in a part of a message that Python may not evaluate."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], b: np.ndarray) -> None:
    for i in range(len(a)):
        if a[i] < 0.0:
            raise ValueError(i > 0 and b[i - 1])
        a[i] = a[i] * 2.0
