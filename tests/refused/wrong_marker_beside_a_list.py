"""A wrong marker hides no mistake in the body."""

from typing import Annotated

import numpy as np

from somd import dim, dist, somd


@somd
def f(a: Annotated[np.ndarray, dist, dim("rows")]):
    b = [1, 2]
    for i in range(len(a)):
        a[i] = 0.0
