"""An expression outside the language: string."""

import numpy as np

from somd import dist, somd


@somd
def f(a: dist[np.ndarray]):
    x = "hello" + "!"
    for i in range(len(a)):
        a[i] = 0.0
