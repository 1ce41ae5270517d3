"""Run once more on the partial results, the method would change `b` once more."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray], b: np.ndarray) -> Annotated[float, reduce("self")]:
    s = 0.0
    for i in range(len(a)):
        b[i] = a[i] + 1.0
        s += a[i]
    return s


f(np.ones(9), np.ones(9))
