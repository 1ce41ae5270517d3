"""On one way there is no partial result."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce(sum)]:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    if s > 0.0:
        return s
