"""An array whose entries are unpacked from another one."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    return np.array([*a]) + 1.0


f(np.ones(3))
