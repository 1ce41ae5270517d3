"""A function of NumPy that is written in Python, which is no helper of the user's."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = a[i] + np.real_if_close(a[i])


f(np.ones(8))
