"""Without an iteration `last` has no value."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce(max)]:
    for i in range(len(a)):
        last = a[i]
    return last
