"""A wrong marker on one entry of a tuple of results."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> tuple[Annotated[float, reduce()], int]:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total, 1
