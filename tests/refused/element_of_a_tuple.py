"""An iteration that reads what the one before has written, in a call whose result is indexed."""

import numpy as np

from somd import dist, somd


@somd
def digits(a: dist[np.ndarray]) -> None:
    for i in range(1, len(a)):
        a[i] = divmod(a[i - 1], 10)[1]
