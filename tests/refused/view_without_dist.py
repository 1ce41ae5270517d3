"""`view` without `dist`."""

from typing import Annotated

import numpy as np

from somd import dist, somd, view


@somd
def f(a: Annotated[np.ndarray, view((1, 1))], b: dist[np.ndarray]):
    for i in range(len(b)):
        b[i] = 0.0
