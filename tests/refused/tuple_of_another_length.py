"""The annotation names three results, the method returns two."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> tuple[Annotated[float, reduce("+")], float, float]:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s, 1.0
