import numpy as np

from somd import dist, somd


@somd
def sums(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i in range(1, len(a)):
        if b[i] < 0:
            raise ValueError
        a[i] = 0.5 * a[i - 1] + b[i]
