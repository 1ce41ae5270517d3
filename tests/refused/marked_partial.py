"""A function that has some of its arguments already."""

import functools

import numpy as np

from somd import dist, somd


def scale(k: float, a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = k * a[i]


double = somd(functools.partial(scale, 2.0))
