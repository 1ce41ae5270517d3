"""A MapOverlap with the nearest value outside (SkelCL, Gaussian blur): indexes are clamped."""

import numpy as np

from somd import dist, somd


@somd
def blurred(image: dist[np.ndarray], weights: np.ndarray) -> np.ndarray:
    rows, columns = image.shape
    reach = len(weights) // 2
    out = np.zeros_like(image)
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for k in range(-reach, reach + 1):
                for n in range(-reach, reach + 1):
                    near = image[min(max(i + k, 0), rows - 1), min(max(j + n, 0), columns - 1)]
                    total += weights[k + reach] * weights[n + reach] * near
            out[i, j] = total
    return out
