"""Dynamic programming and graphs: floyd_warshall, nussinov, nearest_neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def floyd_warshall(path: Array) -> None:
    """The lengths of the shortest paths between all pairs of nodes."""
    n = path.shape[0]
    for k in range(n):
        for i in range(n):  # prange
            for j in range(n):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])


def floyd_warshall_numpy(path: np.ndarray) -> None:
    for k in range(len(path)):
        np.minimum(path, path[:, k, None] + path[k], out=path)


def lengths(random: Random, n: int) -> tuple[Any, ...]:
    path = random.integers(1, 1000, (n, n))
    np.fill_diagonal(path, 0)
    return (path,)


def nussinov(base: Array, table: Array) -> None:
    """The most base pairs that a strand of RNA can fold into, for each of its intervals, by their lengths."""
    n = len(base)
    for span in range(1, n):
        for i in range(n - span):  # prange
            j = i + span
            best = max(table[i, j - 1], table[i + 1, j])
            if span > 1:
                pairs = 1 if base[i] + base[j] == 3 else 0
                best = max(best, table[i + 1, j - 1] + pairs)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best


def nussinov_numpy(base: np.ndarray, table: np.ndarray) -> None:
    n = len(base)
    for i in range(n - 2, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            if j > i + 1:
                best = max(best, table[i + 1, j - 1] + (base[i] + base[j] == 3))
                best = max(best, (table[i, i + 1 : j] + table[i + 2 : j + 1, j]).max())
            table[i, j] = best


def strand(random: Random, n: int) -> tuple[Any, ...]:
    return random.integers(0, 4, n), np.zeros((n, n), dtype=np.int64)


def nearest_neighbours(points: Array, centres: Array) -> tuple[np.ndarray, np.ndarray]:
    """The nearest of the centres to each point, and the square of its distance."""
    nearest = np.zeros(len(points), dtype=np.int64)
    distance = np.zeros(len(points))
    for i in range(len(points)):  # prange
        best = np.inf
        at = 0
        for c in range(len(centres)):
            square = 0.0
            for d in range(points.shape[1]):
                square += (points[i, d] - centres[c, d]) * (points[i, d] - centres[c, d])
            if square < best:
                best = square
                at = c
        nearest[i] = at
        distance[i] = best
    return nearest, distance


def nearest_neighbours_numpy(points: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    squares = np.zeros((len(points), len(centres)))
    for d in range(points.shape[1]):
        squares += (points[:, d, None] - centres[:, d]) ** 2
    nearest = squares.argmin(axis=1)
    return nearest, squares[np.arange(len(points)), nearest]


def clouds(random: Random, n: int, centres: int, dimensions: int) -> tuple[Any, ...]:
    return random.random((n, dimensions)), random.random((centres, dimensions))


KERNELS = (
    Kernel(floyd_warshall, floyd_warshall_numpy, lengths, (7,), S=(200,), M=(800,), L=(2000,)),
    Kernel(nussinov, nussinov_numpy, strand, (8,), S=(120,), M=(500,), L=(2000,)),
    Kernel(
        nearest_neighbours,
        nearest_neighbours_numpy,
        clouds,
        (9, 4, 3),
        S=(2000, 64, 8),
        M=(20000, 128, 8),
        L=(200000, 128, 8),
    ),
)
