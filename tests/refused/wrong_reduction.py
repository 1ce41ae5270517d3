"""The declared reduction is not what the loop does."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce("max")]:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s
