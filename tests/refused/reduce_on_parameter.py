"""`reduce` on a parameter."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: Annotated[np.ndarray, dist, reduce("+")]):
    for i in range(len(a)):
        a[i] = 0.0
