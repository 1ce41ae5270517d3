"""`norm` is a float64 or, from `math.sqrt`, a Python float, beside which a float32 stays one."""

import math

import numpy as np
from somd import dist, somd


@somd
def scaled(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    norm = 0.0
    for i in range(len(b)):
        norm += b[i] * b[i]
    if norm > 1.0:
        norm = math.sqrt(norm)
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i] / norm
    return out


scaled(np.ones(3, np.float32), np.ones(3))
