"""Neither an operator nor a function."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce(3)]:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total
