"""A function of whole arrays for which there is no loop."""

import numpy as np

from somd import somd


@somd
def f(a):
    return np.correlate(a, a)


f(np.ones(8))
