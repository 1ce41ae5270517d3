"""What is returned comes from a loop that another one follows."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> Annotated[float, reduce(max)]:
    run = 0.0
    for i in range(len(a)):
        run = run + 1.0 if a[i] > 0 else 0.0
    for i in range(len(a)):
        a[i] = a[i] / run
    return run
