"""A marker without the arguments that it needs."""

from typing import Annotated

import numpy as np

from somd import dist, somd, view


@somd
def f(a: Annotated[np.ndarray, dist, view]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
