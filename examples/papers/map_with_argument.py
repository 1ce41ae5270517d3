"""A map with a further argument (SkelCL, section "Passing Additional Arguments"): every element times a number."""

import numpy as np

from somd import dist, somd


@somd
def multiplied(values: dist[np.ndarray], number: float) -> np.ndarray:
    out = np.empty_like(values)
    for i in range(len(values)):
        out[i] = values[i] * number
    return out
