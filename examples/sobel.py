"""Sobel's operator

Edges of an image: its change from left to right and from top to bottom, each from nine pixels.

Prints:

    1.00 at the rim of the disc, 0.00 inside, 0.00 outside
"""

import math

import numpy as np

from somd import dist, somd

ACROSS = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]) / 4.0


@somd
def edges(image: dist[np.ndarray]) -> np.ndarray:
    found = np.zeros_like(image)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            x = 0.0
            y = 0.0
            for k in range(3):
                for m in range(3):
                    x += ACROSS[k, m] * image[i + k - 1, j + m - 1]
                    y += ACROSS[m, k] * image[i + k - 1, j + m - 1]
            found[i, j] = math.hypot(x, y)
    return found


def main() -> None:
    y, x = np.mgrid[-1.0:1.0:401j, -1.0:1.0:401j]
    found = edges((x * x + y * y < 0.49).astype(float))
    print(f"{found[200, 60]:.2f} at the rim of the disc, {found[200, 200]:.2f} inside, {found[1, 1]:.2f} outside")


if __name__ == "__main__":
    main()
