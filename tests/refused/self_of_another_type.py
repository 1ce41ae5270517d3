"""A mean of integers does not fit an array of integers."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce("self")]:
    s = 0
    for i in range(len(a)):
        s += a[i]
    return s / len(a)


f(np.arange(9))
