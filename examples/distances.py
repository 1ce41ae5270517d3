"""Distances of all pairs

Of points in any number of dimensions, and which two are closest: a minimum with its place.

Prints:

    points 90 and 378 are closest: 0.0115
"""

import math

import numpy as np

from somd import dist, somd


@somd
def all_pairs(points: dist[np.ndarray]) -> np.ndarray:
    n, axes = points.shape
    distances = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for axis in range(axes):
                total += (points[i, axis] - points[j, axis]) ** 2
            distances[i, j] = math.sqrt(total)
    return distances


@somd
def closest(distances: dist[np.ndarray]) -> tuple[int, int, float]:
    least = np.inf
    first = 0
    second = 0
    for i in range(distances.shape[0]):
        for j in range(i + 1, distances.shape[1]):
            if distances[i, j] < least:
                least = distances[i, j]
                first = i
                second = j
    return first, second, least


def main() -> None:
    points = np.random.default_rng(5).random((500, 3))
    first, second, least = closest(all_pairs(points))
    print(f"points {first} and {second} are closest: {least:.4f}")


if __name__ == "__main__":
    main()
