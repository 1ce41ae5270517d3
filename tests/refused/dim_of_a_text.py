"""An axis that is no number."""

from typing import Annotated

import numpy as np

from somd import dim, dist, somd


@somd
def f(a: Annotated[np.ndarray, dist, dim("x")]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
