"""A histogram with weights: counts are exact in any order, float sums have one copy for each logical block."""

import numpy as np

from somd import dist, shared, somd, sync

RTOL = 1e-12


@somd
def histogram(key: dist[np.ndarray], weight: dist[np.ndarray], total: shared[np.ndarray]) -> np.ndarray:
    count: shared[np.ndarray] = np.zeros(len(total), dtype=np.int64)
    with sync(count, total, reduce="+"):
        for i in range(len(key)):
            count[key[i]] += 1
            total[key[i]] += weight[i]
    return count


def cases():
    random = np.random.default_rng(3)
    return [(random.integers(0, 8, n), random.random(n), np.ones(8)) for n in (6, 9000)]


def failing():
    return [(np.array([0, 1, 8]), np.ones(3), np.ones(8))]
