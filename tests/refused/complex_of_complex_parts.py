"""A complex number made of one that is complex itself."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = complex(a[i], 2.0)


f(np.ones(8, np.complex128))
