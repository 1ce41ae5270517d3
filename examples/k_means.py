"""k-means clustering

Each point finds its nearest centre, and the sums of the clusters are combined at the end of a `sync` block.

Prints:

    centres near (-3.0, 0.0), (0.0, 3.0), (3.0, 0.0)
"""

import numpy as np

from somd import dist, shared, somd, sync


def squared_distance(points: np.ndarray, i: int, centres: np.ndarray, c: int) -> float:
    total = 0.0
    for axis in range(points.shape[1]):
        total += (points[i, axis] - centres[c, axis]) ** 2
    return total


@somd
def k_means(points: dist[np.ndarray], centres: shared[np.ndarray], steps: int) -> np.ndarray:
    n, axes = points.shape
    label = np.zeros(n, dtype=np.int64)
    for _ in range(steps):
        sums: shared[np.ndarray] = np.zeros_like(centres)
        counts: shared[np.ndarray] = np.zeros(len(centres), dtype=np.int64)
        with sync(sums, counts, reduce="+"):
            for i in range(n):
                nearest = 0
                least = np.inf
                for c in range(len(centres)):
                    distance = squared_distance(points, i, centres, c)
                    if distance < least:
                        least = distance
                        nearest = c
                label[i] = nearest
                counts[nearest] += 1
                for axis in range(axes):
                    sums[nearest, axis] += points[i, axis]
        for c in range(len(centres)):
            if counts[c] > 0:
                for axis in range(axes):
                    centres[c, axis] = sums[c, axis] / counts[c]
    return label


def main() -> None:
    random = np.random.default_rng(0)
    middle = np.array([(-3.0, 0.0), (0.0, 3.0), (3.0, 0.0)])
    points = middle[random.integers(0, 3, 30_000)] + random.normal(size=(30_000, 2)) * 0.5
    centres = points[:3].copy()
    k_means(points, centres, 20)
    found = sorted((centres.round(1) + 0.0).tolist())
    print("centres near", ", ".join(f"({x}, {y})" for x, y in found))


if __name__ == "__main__":
    main()
