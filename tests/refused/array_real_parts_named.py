"""The real parts of an array under a name: NumPy's are that memory, and it is written."""

import numpy as np

from somd import dist, somd


@somd
def f(z: dist[np.ndarray]):
    first, second = np.real(z)[:2]
    z *= 1j
    return first.sum() + second.sum()


f(np.ones((3, 4), dtype=complex))
