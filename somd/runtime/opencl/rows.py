"""Rows of global memory for arrays that each iteration has for itself, where private memory is too small for them."""

from __future__ import annotations

import math
from typing import Any

from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.session import Run

#: work-items for each compute unit: those that a GPU has under way, and a few on which CPUs balance
ITEMS_OF_A_UNIT = {"gpu": 2048}
ITEMS_ELSEWHERE = 16
#: bytes of all rows at most, and what part of the device's memory
MOST, PART = 1 << 30, 8
#: kinds of devices whose work-items have neighbouring elements, so that a group reads them together
INTERLEAVED = ("gpu",)
#: elements between the beginnings of rows are a multiple of this, so that CPUs share no cache line
LINE = 16


def work_items(run: Run, count: int, nbytes: int) -> int:
    """Work-items that take `count` iterations in turns, each of which needs so many bytes."""
    info = run.context.device.info
    most = min(MOST, info.global_memory // PART) // max(nbytes, 1)
    return min(count, max(1, min(most, info.compute_units * ITEMS_OF_A_UNIT.get(info.kind, ITEMS_ELSEWHERE))))


def rows(run: Run, items: int, extents: tuple[int, ...], dtype: Any) -> tuple[Managed, int, int]:
    """Memory for arrays of `extents`, one a work-item: (memory, elements from row to row, from element to element).

    A negative extent counts as 0; the kernel notes it where an iteration would allocate.
    """
    length = math.prod([max(0, extent) for extent in extents])
    if run.context.device.info.kind in INTERLEAVED:
        return run.empty(items * length, dtype), 1, items
    row = -(-length // LINE) * LINE
    return run.empty(items * row, dtype), row, 1
