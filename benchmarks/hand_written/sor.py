"""SOR as others write it: the straight port to `prange`, and an expert's versions with the colours packed apart."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import njit, prange

jit: Any = njit(parallel=True, error_model="numpy")
inner: Any = njit(error_model="numpy")

#: sweeps that the tiled version runs from fence to fence, and the rows of its blocks
DEPTH, WIDTH = 16, 32


@jit
def _straight(G: Any, omega: Any, iterations: Any) -> Any:
    neighbours = 0.25 * omega
    own = 1.0 - omega
    for p in range(1, 2 * iterations + 1):
        for i in prange(1, G.shape[0] - 1):
            for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                G[i, j] = neighbours * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1]) + own * G[i, j]
    total = 0.0
    for i in prange(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


@inner
def sweep_row(even: Any, odd: Any, i: Any, p: Any, columns: Any, neighbours: Any, own: Any) -> None:
    """The points of row i that sweep p updates, `even` and `odd` holding the columns of each parity."""
    first = 1 + (i + p) % 2
    count = (columns - 1 - first + 1) // 2
    mine, others = (even, odd) if first % 2 == 0 else (odd, even)
    at = first // 2
    centre = mine[i, at : at + count]
    above, below = mine[i - 1, at : at + count], mine[i + 1, at : at + count]
    start = (first - 1) // 2
    left, right = others[i, start : start + count], others[i, start + 1 : start + 1 + count]
    for t in range(count):
        centre[t] = neighbours * (above[t] + below[t] + left[t] + right[t]) + own * centre[t]


@inner
def _block(even: Any, odd: Any, lo: Any, hi: Any, sides: Any, p: Any, depth: Any, columns: Any, weights: Any) -> None:
    """`depth` sweeps over the rows lo to hi, which move by `sides` from sweep to sweep, in blocks of WIDTH."""
    for row in range(lo, hi + (sides[1] + 1) * (depth - 1), WIDTH):
        for s in range(depth):
            for i in range(max(lo + sides[0] * s, row - s), min(hi + sides[1] * s, row + WIDTH - s)):
                sweep_row(even, odd, i, p + s, columns, weights[0], weights[1])


@jit
def _packed(even: Any, odd: Any, columns: Any, omega: Any, iterations: Any) -> None:
    for p in range(1, 2 * iterations + 1):
        for i in prange(1, even.shape[0] - 1):
            sweep_row(even, odd, i, p, columns, 0.25 * omega, 1.0 - omega)


@jit
def _tiled(even: Any, odd: Any, columns: Any, omega: Any, iterations: Any, parts: Any) -> None:
    rows, weights = even.shape[0] - 2, (0.25 * omega, 1.0 - omega)
    for p in range(1, 2 * iterations + 1, DEPTH):
        depth = min(DEPTH, 2 * iterations + 1 - p)
        for rank in prange(parts):
            lo, hi = 1 + rows * rank // parts, 1 + rows * (rank + 1) // parts
            sides = (1 if rank > 0 else 0, -1 if rank < parts - 1 else 0)
            _block(even, odd, lo, hi, sides, p, depth, columns, weights)
        for rank in prange(1, parts):
            lo = 1 + rows * rank // parts
            _block(even, odd, lo, lo, (-1, 1), p, depth, columns, weights)


@jit
def _pack(G: Any, even: Any, odd: Any) -> None:
    for i in prange(G.shape[0]):
        for t in range(even.shape[1]):
            even[i, t] = G[i, 2 * t]
        for t in range(odd.shape[1]):
            odd[i, t] = G[i, 2 * t + 1]


@jit
def _unpack(G: Any, even: Any, odd: Any) -> Any:
    for i in prange(G.shape[0]):
        for t in range(even.shape[1]):
            G[i, 2 * t] = even[i, t]
        for t in range(odd.shape[1]):
            G[i, 2 * t + 1] = odd[i, t]
    total = 0.0
    for i in prange(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


def prange_port(G: Any, omega: Any, iterations: Any) -> float:
    """The plain function with `prange` in place of `range`."""
    return float(_straight(G, omega, iterations))


def _apart(G: Any) -> tuple[Any, Any]:
    rows, columns = G.shape
    even, odd = np.empty((rows, (columns + 1) // 2)), np.empty((rows, columns // 2))
    _pack(G, even, odd)
    return even, odd


def expert(G: Any, omega: Any, iterations: Any) -> float:
    """Columns of each parity packed apart, so that a sweep loads only what it uses and vectorises."""
    even, odd = _apart(G)
    _packed(even, odd, G.shape[1], omega, iterations)
    return float(_unpack(G, even, odd))


def tiled(G: Any, omega: Any, iterations: Any) -> float:
    """The packed version, tiled over time."""
    even, odd = _apart(G)
    _tiled(even, odd, G.shape[1], omega, iterations, numba.get_num_threads())
    return float(_unpack(G, even, odd))


PEERS = {"prange_port": prange_port, "expert": expert, "tiled": tiled}
