"""Accelerate, segmented and exclusive scans: what stands before each element in its segment, and in all."""

import numpy as np

from somd import dist, somd


@somd
def segmented_scan(values: dist[np.ndarray], begins: dist[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    inside = np.empty_like(values)
    before = np.empty_like(values)
    s = t = 0
    for i in range(len(values)):
        if begins[i]:
            s = 0
        s += values[i]
        inside[i] = s
        before[i] = t
        t += values[i]
    return inside, before
