"""Every method instance would start the second loop from the whole sum of the first."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]) -> Annotated[float, reduce(sum)]:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    for i in range(len(b)):
        s += b[i]
    return s
