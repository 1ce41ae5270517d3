"""Vector addition

The smallest SOMD method: its instances each add a part of the arrays.

Prints:

    [10. 11. 12. 13. 14.]
"""

import numpy as np

from somd import dist, somd


@somd
def vector_add(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


def main() -> None:
    a = np.arange(1_000_000, dtype=float)
    b = np.full(1_000_000, 10.0)
    print(vector_add(a, b)[:5])


if __name__ == "__main__":
    main()
