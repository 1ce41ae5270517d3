"""A function of partial results promises nothing about arrays."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce(max)]:
    best = 0.0
    for i in range(1, len(a)):
        a[i] = a[i] + a[i - 1]
        best = max(best, a[i])
    return best
