"""The loop indexes another axis than the one that is named."""

from typing import Annotated

import numpy as np

from somd import dim, dist, somd


@somd
def f(a: Annotated[np.ndarray, dist, dim(1)]):
    for i in range(a.shape[0]):
        a[i, 0] = 1.0


f(np.ones((4, 4)))
