"""float32 and int32 arrays: the casts that keep NumPy's types where Numba's own would be wider."""

import numpy as np

from somd import dist, somd

WEIGHT = 0.25


def softened(value, limit):
    return value / (1.0 + abs(value) * limit)


@somd
def float32_filter(a: dist[np.ndarray], count: dist[np.ndarray], limit: float) -> np.ndarray:
    b = np.zeros(len(a), np.float32)
    for i in range(1, len(a) - 1):
        centre = a[i] * 2.0 - WEIGHT  # stays float32
        if centre > limit:
            centre = softened(a[i - 1] + a[i + 1], limit)
        b[i] = np.sqrt(abs(centre)) + a[i] ** 2
        count[i] = count[i] * 3 + (i & 7)
    return b


RTOL = 1e-6


def cases():
    generator = np.random.default_rng(0)
    return [(generator.random(n, np.float32), generator.integers(0, 9, n, np.int32), 0.5) for n in (10, 3000)]
