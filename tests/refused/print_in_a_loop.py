"""Looking at values on the way."""

import numpy as np

from somd import dist, somd


@somd
def double(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] *= 2.0
        print(a[i])


double(np.ones(2))
