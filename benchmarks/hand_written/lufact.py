"""LUFact as others write it: the straight port to `prange`, and an expert's with slices of rows.

Rows of the array are columns of the matrix. LAPACK is left out: its blocked algorithm does other operations in another
order, and its threads, which spin while they wait, take the cores from the versions that run in turn with it.
"""

from __future__ import annotations

from typing import Any

from numba import njit, prange

jit: Any = njit(parallel=True, error_model="numpy")
inner: Any = njit(error_model="numpy")


@inner
def solve(columns: Any, b: Any, pivots: Any) -> None:
    n = columns.shape[0]
    for k in range(n - 1):
        pivot = pivots[k]
        factor = b[pivot]
        b[pivot] = b[k]
        b[k] = factor
        rest, multipliers = b[k + 1 :], columns[k, k + 1 :]
        for i in range(len(rest)):
            rest[i] += factor * multipliers[i]
    for k in range(n - 1, -1, -1):
        b[k] /= columns[k, k]
        factor = -b[k]
        rest, upper = b[:k], columns[k, :k]
        for i in range(k):
            rest[i] += factor * upper[i]


@jit
def _straight(columns: Any, b: Any, pivots: Any) -> None:
    n = columns.shape[0]
    for k in range(n - 1):
        pivot = k
        largest = abs(columns[k, k])
        for i in range(k + 1, n):
            if abs(columns[k, i]) > largest:
                largest = abs(columns[k, i])
                pivot = i
        pivots[k] = pivot
        if largest != 0.0:
            element = columns[k, pivot]
            columns[k, pivot] = columns[k, k]
            columns[k, k] = element
            scale = -1.0 / element
            for i in range(k + 1, n):
                columns[k, i] *= scale
            for j in prange(k + 1, n):
                factor = columns[j, pivot]
                columns[j, pivot] = columns[j, k]
                columns[j, k] = factor
                for i in range(k + 1, n):
                    columns[j, i] += factor * columns[k, i]
    pivots[n - 1] = n - 1
    solve(columns, b, pivots)


@jit
def _sliced(columns: Any, b: Any, pivots: Any) -> None:
    """Slices start at 0, so that Numba tests no index for being negative and the updates vectorise."""
    n = columns.shape[0]
    for k in range(n - 1):
        column = columns[k, k:]
        pivot = 0
        for i in range(1, len(column)):
            if abs(column[i]) > abs(column[pivot]):
                pivot = i
        pivots[k] = k + pivot
        if column[pivot] != 0.0:
            element = column[pivot]
            column[pivot] = column[0]
            column[0] = element
            scale = -1.0 / element
            multipliers = column[1:]
            for i in range(len(multipliers)):
                multipliers[i] *= scale
            for j in prange(k + 1, n):
                other = columns[j, k:]
                factor = other[pivot]
                other[pivot] = other[0]
                other[0] = factor
                rest, mine = other[1:], columns[k, k + 1 :]
                for i in range(len(rest)):
                    rest[i] += factor * mine[i]
    pivots[n - 1] = n - 1
    solve(columns, b, pivots)


def prange_port(columns: Any, b: Any, pivots: Any) -> Any:
    """The plain function with `prange` in place of `range`."""
    _straight(columns, b, pivots)
    return b


def expert(columns: Any, b: Any, pivots: Any) -> Any:
    """Slices of rows that start at zero."""
    _sliced(columns, b, pivots)
    return b


PEERS = {"prange_port": prange_port, "expert": expert}
