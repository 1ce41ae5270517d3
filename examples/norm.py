"""The norm of a vector

A vector is scaled to length one, in the two ways of the SOMD paper (its Listings 10 and 12). `normalize` calls another
SOMD method, whose loop joins its own without a second distribution. `normalize_shared` has the sum in a scalar that is
shared: the end of the `sync` block makes one value of the instances' partial sums.

Prints:

    1.0 1.0
"""

import math
from typing import Annotated

import numpy as np

from somd import dist, reduce, shared, somd, sync


@somd
def sum_of_squares(a: dist[np.ndarray]) -> Annotated[float, reduce("+")]:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


@somd
def normalize(a: dist[np.ndarray]) -> np.ndarray:
    norm = math.sqrt(sum_of_squares(a))
    for i in range(len(a)):
        a[i] = a[i] / norm
    return a


@somd
def normalize_shared(a: dist[np.ndarray]) -> np.ndarray:
    norm: shared[float] = 0.0
    with sync(norm, reduce="+"):
        for i in range(len(a)):
            norm += a[i] * a[i]
    norm = math.sqrt(norm)
    for i in range(len(a)):
        a[i] = a[i] / norm
    return a


def main() -> None:
    a = np.linspace(-1.0, 1.0, 100_001)
    first, second = normalize(a.copy()), normalize_shared(a.copy())
    print(round(np.linalg.norm(first), 12), round(np.linalg.norm(second), 12))


if __name__ == "__main__":
    main()
