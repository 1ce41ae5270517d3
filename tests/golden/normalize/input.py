"""A shared scalar: summed in one phase, used in the next."""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def normalize(a: dist[np.ndarray]) -> np.ndarray:
    norm: shared[float] = 0.0
    with sync(norm, reduce="+"):
        for i in range(len(a)):
            norm += a[i] * a[i]
    norm = np.sqrt(norm)
    for i in range(len(a)):
        a[i] = a[i] / norm
    return a


RTOL = 1e-12


def cases():
    return [(np.random.default_rng(n).random(n) + 0.5,) for n in (9, 3000)]
