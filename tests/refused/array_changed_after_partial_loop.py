"""Each method instance would write its own partial result."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray], out: np.ndarray) -> Annotated[int, reduce(max)]:
    run = 0
    for i in range(len(a)):
        run = run + 1 if a[i] > 0 else 0
    out[0] = run
    return run
