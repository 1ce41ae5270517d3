"""A generator of random numbers that a method makes."""

import numpy as np

from somd import dist, somd


@somd
def f(n: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(size=n)
