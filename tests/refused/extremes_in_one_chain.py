"""The smallest and the largest element, of which one is only looked for where the other is not found."""

import numpy as np

from somd import dist, somd


@somd
def extremes(a: dist[np.ndarray]) -> tuple[np.float64, np.float64]:
    low = a[0]
    high = a[0]
    for i in range(1, len(a)):
        if a[i] < low:
            low = a[i]
        elif a[i] > high:
            high = a[i]
    return low, high
