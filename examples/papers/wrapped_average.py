"""A stencil that wraps around (what SkelCL's padding has no word for): the mean of both neighbours on a ring."""

import numpy as np

from somd import dist, somd


@somd
def wrapped_average(ring: dist[np.ndarray]) -> np.ndarray:
    n = len(ring)
    out = np.empty_like(ring)
    for i in range(n):
        out[i] = 0.5 * (ring[(i - 1) % n] + ring[(i + 1) % n])
    return out
