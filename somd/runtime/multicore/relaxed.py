"""Relaxed reads: which iterations belong to other MIs, where an MI need not ask, and snapshots.

A part is a piece of `range(start, stop, step)`, given by its ends as `slave_range` gives them.
"""

from __future__ import annotations

from typing import Any

from somd.runtime.multicore.copies import copy_elements
from somd.runtime.multicore.integers import of_integers
from somd.runtime.multicore.numba_internals.native import native


@of_integers
def elsewhere(at: int, start: int, stop: int, step: int, lo: int, hi: int) -> bool:
    """Whether `at` is an iteration of `range(start, stop, step)` outside the part from `lo` to `hi`."""
    if step > 0:
        return start <= at < stop and not lo <= at < hi and (at - start) % step == 0
    return start >= at > stop and not lo >= at > hi and (start - at) % -step == 0


@native
def elsewhere_in(at: int, start: int, stop: int, step: int, parts: Any, owners: Any, rank: int) -> bool:
    """Whether `at` is an iteration of `range(start, stop, step)` in no part of MI `rank`, for a positive step."""
    if not (start <= at < stop and (at - start) % step == 0):
        return False
    first, last = owners[rank], owners[rank + 1]
    while last - first > 1:
        middle = (first + last) // 2
        if parts[middle, 0] <= at:
            first = middle
        else:
            last = middle
    return first == last or not parts[first, 0] <= at < parts[first, 1]


@of_integers
def inner_range(lo: int, hi: int, step: int, first: int, last: int) -> tuple[int, int]:
    """The piece of a part that lies `first` and `last` trips inside its ends."""
    if step > 0:
        begin = min(lo + first * step, hi)
        return begin, max(hi - last * step, begin)
    begin = max(lo + first * step, hi)
    return begin, min(hi - last * step, begin)


@native
def keep(array: Any, snapshot: Any, rank: int, ranks: int) -> None:
    """Copy share number `rank` of `ranks` of an array into its snapshot."""
    length = len(array)
    first, last = length * rank // ranks, length * (rank + 1) // ranks
    copy_elements(snapshot[first:last], array[first:last])
