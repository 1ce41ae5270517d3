"""Partial results cannot stand for two arrays."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray], b: dist[np.ndarray]) -> Annotated[float, reduce("self")]:
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i]
    return s
