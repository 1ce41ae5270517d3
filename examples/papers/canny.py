"""A StencilSequence (SkelCL, the Canny algorithm): blur, gradient, suppression of what is no maximum, threshold."""

import math

import numpy as np

from somd import dist, somd


@somd
def canny(image: dist[np.ndarray], least: float) -> np.ndarray:
    rows, columns = image.shape
    smooth = np.zeros((rows, columns))
    steep = np.zeros((rows, columns))
    flat = np.zeros((rows, columns), np.bool_)
    out = np.zeros((rows, columns), np.uint8)
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            sides = image[i - 1, j] + image[i + 1, j] + image[i, j - 1] + image[i, j + 1]
            corners = image[i - 1, j - 1] + image[i - 1, j + 1] + image[i + 1, j - 1] + image[i + 1, j + 1]
            smooth[i, j] = (4 * image[i, j] + 2 * sides + corners) / 16
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            across = smooth[i, j + 1] - smooth[i, j - 1]
            down = smooth[i + 1, j] - smooth[i - 1, j]
            steep[i, j] = math.sqrt(across * across + down * down)
            flat[i, j] = abs(across) > abs(down)
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            before = steep[i, j - 1] if flat[i, j] else steep[i - 1, j]
            behind = steep[i, j + 1] if flat[i, j] else steep[i + 1, j]
            if steep[i, j] > before and steep[i, j] >= behind and steep[i, j] >= least:
                out[i, j] = 255
    return out
