"""The second entry of the result is another reduction than declared."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> tuple[Annotated[float, reduce("+")], Annotated[float, reduce("max")]]:
    s = 0.0
    low = 0.0
    for i in range(len(a)):
        s += a[i]
        low = min(low, a[i])
    return s, low
