"""The loop that makes partial results may not be reached."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray], wanted: bool) -> Annotated[int, reduce(max)]:
    run = 0
    if wanted:
        for i in range(len(a)):
            run = run + 1 if a[i] > 0 else 0
    return run
