"""Copies of rows: pieces of memory where both lie straight, elements where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from somd.runtime.multicore.row_copies import copy_row


@njit
def copied(count, into, out_of, first, row, second):
    copy_row(count, into, out_of, first, row, second)


@pytest.mark.parametrize("count", [-1, 0, 3, 15, 16, 40])
@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("second", [0, 5, -7])
def test_elements_are_those_of_a_loop(count: int, step: int, second: int) -> None:
    source = np.arange(200.0).reshape(2, 100)[:, ::step][:, :50]
    found, wanted = np.zeros(50), np.zeros(50)
    count = min(count, 50 - max(second, 0))
    copied(count, found, source, 4, -1, second) if count <= 46 else None
    for k in range(count if count <= 46 else 0):
        wanted[4 + k] = source[-1, second + k]
    assert found.tobytes() == wanted.tobytes()


def test_a_row_moves_along_itself() -> None:
    row = np.arange(60.0)
    copied(40, row, np.broadcast_to(row, (1, 60)).reshape(1, 60), 10, 0, 0)
    assert row[10:50].tolist() == list(range(40))
