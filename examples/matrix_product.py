"""Matrix product

By its definition; a matrix library is faster.

Prints:

    largest difference from NumPy's product below 1e-12: True
"""

import numpy as np

from somd import dist, somd


@somd
def product(a: dist[np.ndarray], b: np.ndarray) -> np.ndarray:
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def main() -> None:
    random = np.random.default_rng(0)
    a, b = random.random((150, 200)), random.random((200, 100))
    print("largest difference from NumPy's product below 1e-12:", np.abs(product(a, b) - a @ b).max() < 1e-12)


if __name__ == "__main__":
    main()
