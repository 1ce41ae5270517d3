"""One entry is reduced by an operator, the other by a function."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> tuple[Annotated[float, reduce("+")], Annotated[float, reduce(max)]]:
    s = 0.0
    best = 0.0
    for i in range(len(a)):
        s += a[i]
        best = max(best, a[i])
    return s, best
