"""A statement outside the language: assert."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    assert len(a) > 3
    for i in range(len(a)):
        a[i] = 0.0
