"""`like` names a value that is not there; markers on a local without `dist`."""

from typing import Annotated

import numpy as np

from somd import dim, dist, like, somd


@somd
def f(a: Annotated[np.ndarray, dist, like("b")]) -> None:
    c: Annotated[np.ndarray, dim(0)] = np.zeros(len(a))
    for i in range(len(a)):
        c[i] = a[i]
