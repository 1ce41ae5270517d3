"""A `raise` between the loop that makes partial results and the `return`."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def total(a: dist[np.ndarray]) -> Annotated[float, reduce(sum)]:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    if s > 100.0:
        raise ValueError(s)
    return s
