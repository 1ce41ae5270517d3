"""SparseMatmult as others write it: cut by hand where rows change, with `prange`, and an expert's over sorted rows."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import njit, prange

jit: Any = njit(parallel=True, error_model="numpy")


@jit
def _straight(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any, blocks: Any) -> None:
    for _ in range(iterations):
        for part in prange(len(blocks) - 1):
            for k in range(blocks[part], blocks[part + 1]):
                y[row[k]] += x[column[k]] * values[k]


@jit
def _by_rows(y: Any, values: Any, starts: Any, rows: Any, column: Any, x: Any, iterations: Any) -> None:
    """Each row's sum is kept in a register; `starts` are the places where the rows begin."""
    for _ in range(iterations):
        for r in prange(len(rows)):
            total = y[rows[r]]
            for k in range(starts[r], starts[r + 1]):
                total += x[column[k]] * values[k]
            y[rows[r]] = total


def row_starts(row: Any) -> Any:
    """The places where a new row begins, and the end."""
    return np.concatenate(([0], np.flatnonzero(row[1:] != row[:-1]) + 1, [len(row)]))


def cuts(row: Any, parts: int) -> Any:
    """Where to cut the non-zeros into blocks of about equal size, so that no row is in two."""
    starts = row_starts(row)
    return starts[np.searchsorted(starts, np.arange(parts + 1) * len(row) // parts)]


def prange_port(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any) -> Any:
    """A block of rows for each thread, as the suite does it."""
    _straight(y, values, row, column, x, iterations, cuts(row, numba.get_num_threads()))
    return y


def expert(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any) -> Any:
    """Sorted by row, the sum of a row in a register."""
    starts = row_starts(row)
    _by_rows(y, values, starts, row[starts[:-1]], column, x, iterations)
    return y


PEERS = {"prange_port": prange_port, "expert": expert}
