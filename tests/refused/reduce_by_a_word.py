"""An operator by a word for it."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce("plus")]:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total
