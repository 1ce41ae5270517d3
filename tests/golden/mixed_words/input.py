"""A chain of products and remainders: run in strips, and in 32 bits where the keys are short."""

import numpy as np

from somd import dist, somd

PRIME = 65537


@somd
def mixed_words(a: dist[np.ndarray], key: np.ndarray, out: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        x = np.int64(a[i]) << 8 | 3
        y = 7
        # the same for every element
        shift = 1
        for k in range(len(key)):
            x = x * key[k] % PRIME & 0xFFFF
            y = (y + x) * 31 % 1021 + -1 & 0xFFFF
            shift = 5 - shift
            if x > y:  # neither is preferred
                x, y = y, x
            x ^= y >> shift
        out[i] = x - y


def cases():
    keys = (np.array([3, 65535, 0, 40000]), np.array([3, -1, 70000]), np.zeros(0, np.int64), np.array([1 << 62, -5]))
    counts = (0, 1, 5, 40_000)
    bytes_ = np.random.default_rng(0).integers(0, 256, max(counts), np.uint8)
    return [(bytes_[:n], key, np.zeros(n, np.int64)) for n in counts for key in keys[: 4 if n < 9 else 2]]
