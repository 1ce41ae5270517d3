"""A declared view narrower than the reads."""

from typing import Annotated

import numpy as np

from somd import dist, somd, view


@somd
def f(a: Annotated[np.ndarray, dist, view((1, 1))], b: dist[np.ndarray]):
    for i in range(2, len(a) - 2):
        b[i] = a[i - 2] + a[i + 2]
