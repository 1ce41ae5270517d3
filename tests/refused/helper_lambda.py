"""A helper that is no `def`."""

import numpy as np

from somd import dist, somd

double = lambda x: x * 2  # noqa: E731


@somd
def f(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = double(a[i])


f(np.ones(8))
