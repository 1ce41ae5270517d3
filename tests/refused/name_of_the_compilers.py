import numpy as np

from somd import dist, somd


@somd
def scale(a: dist[np.ndarray], _somd_factor: float) -> None:
    for i in range(len(a)):
        a[i] = _somd_factor * a[i]
