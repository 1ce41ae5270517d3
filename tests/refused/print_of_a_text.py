"""A text that is printed in a loop."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        if a[i] < 0:
            print("negative at", i)
        a[i] = abs(a[i])


f(np.ones(8))
