"""Accelerate, filter: the elements that a predicate holds of, in their order, and how many there are."""

import numpy as np

from somd import dist, somd


@somd
def filtered(values: dist[np.ndarray], least: float) -> tuple[np.ndarray, int]:
    out = np.zeros_like(values)
    count = 0
    for i in range(len(values)):
        if values[i] >= least:
            out[count] = values[i]
            count += 1
    return out, count
