"""`dist` with parentheses for brackets."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist(np.ndarray)) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
