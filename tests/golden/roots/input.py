"""Checks before a loop, a helper that raises, and values in messages."""

import math

import numpy as np

from somd import dist, somd


def root(x, i):
    if x < 0:
        raise ValueError(f"negative: {x:.2f} at {i}")
    return math.sqrt(x)


@somd
def roots(a: dist[np.ndarray], b: dist[np.ndarray]) -> float:
    if len(a) != len(b):
        raise ValueError(f"lengths differ: {a.shape} and {b.shape}")
    total = 0.0
    for i in range(len(a)):
        assert b[i] != 0.0, ("zero", i)
        total += root(a[i], i) / b[i]
    return total


#: sums associate otherwise than in plain Python
RTOL = 1e-12


def cases():
    generator = np.random.default_rng(0)
    return [(generator.random(n), generator.random(n) + 1.0) for n in (6, 4000)]


def failing():
    """Arguments for which the method raises, as plain Python does."""
    a, b = np.ones(4000), np.ones(4000)
    a[[3000, 1800]], b[[2500, 3500]] = -1.0, 0.0
    return [(a, b), (np.ones(4000), b), (a, np.ones(3))]
