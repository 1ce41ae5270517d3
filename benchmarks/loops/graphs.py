"""Dynamic programming and graphs: floyd_warshall."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel
from somd import sync


def floyd_warshall(path: Array) -> None:
    """The lengths of the shortest paths between all pairs of nodes."""
    n = path.shape[0]
    for k in range(n):
        with sync(relaxed=True):
            for i in range(n):  # prange
                for j in range(n):
                    path[i, j] = min(path[i, j], path[i, k] + path[k, j])


def floyd_warshall_numpy(path: np.ndarray) -> None:
    for k in range(len(path)):
        np.minimum(path, path[:, k, None] + path[k], out=path)


def lengths(random: np.random.Generator, n: int) -> tuple[Any, ...]:
    path = random.integers(1, 1000, (n, n))
    np.fill_diagonal(path, 0)
    return (path,)


KERNELS = (Kernel(floyd_warshall, floyd_warshall_numpy, lengths, tiny=(7,), S=(200,), M=(800,), L=(2000,)),)
