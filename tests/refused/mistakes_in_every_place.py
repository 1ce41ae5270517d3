"""Wrong markers on a parameter, a local and the result, in annotations that are texts: one error with all."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dim, dist, reduce, shared, somd, sync


@somd
def f(a: dist[np.ndarray, dim(-1)], b: dist[np.ndarray]) -> Annotated[float, reduce("maximun")]:
    best: shared[float, 0] = 0.0
    with sync(best, reduce="max"):
        for i in range(len(a)):
            best = max(best, a[i] + b[i])
    return best
