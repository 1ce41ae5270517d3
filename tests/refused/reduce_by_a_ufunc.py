"""A function of two values where one of a list is needed."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce(np.add)]:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total
