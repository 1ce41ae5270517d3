"""Relaxed reading does not help a scatter."""

import numpy as np

from somd import dist, somd, sync


@somd
def f(a: dist[np.ndarray], at: dist[np.ndarray]):
    with sync(relaxed=True):
        for i in range(len(at)):
            a[at[i]] = a[i]
