"""A function reduces scalars."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[tuple[np.ndarray, float], reduce(sum)]:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return a, s


f(np.ones(9))
