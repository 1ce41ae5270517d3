"""The loop that makes partial results is taken several times."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray], steps: int) -> Annotated[int, reduce(max)]:
    best = 0
    for _ in range(steps):
        run = 0
        for i in range(len(a)):
            run = run + 1 if a[i] > 0 else 0
            best = max(best, run)
    return best
