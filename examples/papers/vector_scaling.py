"""A map of a helper function (patterns, the motivating example): three times each element."""

import numpy as np

from somd import dist, somd


def mul3(x: int) -> int:
    return x * 3


@somd
def scaled(x: dist[np.ndarray]) -> np.ndarray:
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = mul3(x[i])
    return out
