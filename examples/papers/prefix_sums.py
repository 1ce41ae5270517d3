"""A scan (SkelCL): running sums, of integers with plain Python's bits, of floats in lanes and blocks."""

import numpy as np

from somd import dist, somd, sync


@somd
def prefix_sums(values: dist[np.ndarray]) -> np.ndarray:
    out = np.empty_like(values)
    total = 0
    for i in range(len(values)):
        total += values[i]
        out[i] = total
    return out


@somd
def prefix_sums_of_floats(values: dist[np.ndarray]) -> np.ndarray:
    out = np.empty_like(values)
    total = 0.0
    with sync(total, scan="+"):
        for i in range(len(values)):
            total += values[i]
            out[i] = total
    return out
