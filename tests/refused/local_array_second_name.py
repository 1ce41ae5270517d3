"""An array of each iteration under a second name, and a copy of a shared one."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        window = np.zeros(3)
        same = window
        same[0] = a[i]
        before = a.copy()
        a[i] = window[0] + before[i]


f(np.ones(8))
