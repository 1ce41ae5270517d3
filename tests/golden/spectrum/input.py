"""Expensive functions that are the same for every element: tables for a recurrence and for a loop over modes. Cosines
that are not are taken for a strip of elements at once."""

import math

import numpy as np

from somd import dist, somd

STEP = 0.125


def window(x, sharpness, shifted):
    """A bell, shifted or not."""
    value = math.exp(-x * x)
    if shifted == 1:
        value = value + sharpness
    return value


@somd
def spectrum(a: dist[np.ndarray], modes: int, out: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        total = 0.0
        x = 0.0
        for _ in range(modes):
            x += STEP
            # the helper is written out, to see what of it depends on i
            total += window(x, a[i], 1) * a[i]
        for k in range(1, modes):
            total += math.cos(a[i] * k) / math.log(k + 1.0)
        out[i] = total


RTOL = 1e-13


def cases():
    values = np.random.default_rng(2).random(3000)
    return [(values[:n], modes, np.zeros(n)) for n in (0, 1, 5, 3000) for modes in (0, 1, 7)]
