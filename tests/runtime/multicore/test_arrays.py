"""Room for partial results: on the stack where they are few, else of Numba's memory, and each time the same place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from somd.runtime.multicore.arrays import FEW, partials_room
from somd.runtime.multicore.numba_internals.native import native

room: Any = partials_room


@native
def filled(partials: Any, first: int) -> None:
    for k in range(len(partials)):
        partials[k] = first + k


@njit
def sums(blocks: int, rounds: int) -> Any:
    found = np.zeros(rounds, np.int64)
    for each in range(rounds):
        partials, others = room(blocks, np.int64), room(blocks, np.int64)
        filled(partials, each)
        filled(others, 7)
        for k in range(len(partials)):
            found[each] += partials[k] * others[k]
    return found


@pytest.mark.parametrize("blocks", [0, 1, FEW - 1, FEW, FEW + 1, 1024])
def test_partial_results_have_room(blocks: int) -> None:
    k = np.arange(blocks)
    assert sums(blocks, 5).tolist() == [int(((each + k) * (7 + k)).sum()) for each in range(5)]
