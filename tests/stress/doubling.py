"""The method of the programs that treat the cache badly: it is compiled many times, and soon."""

from __future__ import annotations

import numpy as np

from somd import dist, somd


@somd
def double(a: dist[np.ndarray]) -> None:
    """Doubles every element."""
    for i in range(len(a)):
        a[i] = a[i] + a[i]
