"""A MapOverlap over pixels (SkelCL, Sobel edge detection), 0 outside of the image."""

import math

import numpy as np

from somd import dist, somd


@somd
def edges(image: dist[np.ndarray]) -> np.ndarray:
    rows, columns = image.shape
    padded = np.zeros((rows + 2, columns + 2))
    out = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            padded[i + 1, j + 1] = image[i, j]
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            across = padded[i - 1, j + 1] + 2 * padded[i, j + 1] + padded[i + 1, j + 1]
            across -= padded[i - 1, j - 1] + 2 * padded[i, j - 1] + padded[i + 1, j - 1]
            down = padded[i + 1, j - 1] + 2 * padded[i + 1, j] + padded[i + 1, j + 1]
            down -= padded[i - 1, j - 1] + 2 * padded[i - 1, j] + padded[i - 1, j + 1]
            out[i - 1, j - 1] = math.sqrt(across * across + down * down)
    return out
