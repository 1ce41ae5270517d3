"""The name of a partitioner as a text."""

from typing import Annotated

import numpy as np

from somd import Cyclic, dist, partition, somd


@somd
def f(a: Annotated[np.ndarray, dist, partition("Cyclic")]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
