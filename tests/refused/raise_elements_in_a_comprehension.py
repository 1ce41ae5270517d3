"""An exception that lists elements by a comprehension."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], k: int) -> None:
    for i in range(k, len(a)):
        assert a[i] > 0.0, [a[j] for j in range(k)]
        a[i] = 0.0
