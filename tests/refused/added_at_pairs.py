"""Sums at places of a matrix that two arrays tell."""

import numpy as np

from somd import somd


@somd
def f(z, y, x):
    np.add.at(z, (y, x), 0.5)


f(np.zeros((3, 3)), np.array([0, 0, 2]), np.array([1, 1, 2]))
