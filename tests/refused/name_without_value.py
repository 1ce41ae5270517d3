"""Names that may have no value where no test is made for them."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray], mode: int):
    if mode == 1:
        factor = 2.0
    elif mode == 2:
        factor = 4.0
    m = a[0]
    for i in range(len(a)):
        a[i] *= factor
        if a[i] > m:
            m = a[i]
            place = i
    y = z + place
    z = y if mode > 2 else y + factor
    return z
