"""A generator that is made in the method."""

import numpy as np

from somd import somd


@somd
def pi(n: int) -> float:
    rng = np.random.default_rng(42)
    x = rng.random(n)
    y = rng.random(n)
    inside = x * x + y * y < 1.0
    return 4.0 * inside.sum() / n


pi(100)
