"""A function of NumPy that Python calls, in a loop that has nothing else to share."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], out: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        out[i] = np.interp(a[i], out, out)


f(np.ones(8), np.ones(8))
