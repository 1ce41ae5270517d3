"""Index ranges: the share of an MI, and the logical blocks of a reduction.

A range is split by its trips, so that parts are disjoint, in order, covering, balanced to within one trip and aligned
with the step, whatever its sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.runtime.multicore.integers import of_integers
from somd.runtime.multicore.numba_internals.native import native

#: interleaved accumulators in a logical block of a floating-point reduction
LANES = 32
#: MIs for each worker where the costs of iterations differ
PER_WORKER = 16
#: logical blocks that a long reduction is cut into
BLOCKS = 1024


@of_integers
def trips(start: int, stop: int, step: int) -> int:
    """How many values `range(start, stop, step)` has."""
    if step > 0:
        return (stop - start + step - 1) // step if start < stop else 0
    return (start - stop - step - 1) // -step if start > stop else 0


@of_integers
def slave_range(start: int, stop: int, step: int, rank: int, parts: int) -> tuple[int, int]:
    """The part of `range(start, stop, step)` that belongs to MI `rank` of `parts` (the paper's IndexPartitioner)."""
    count = trips(start, stop, step)
    share, rest = count // parts, count % parts
    first = rank * share + (rank if rank < rest else rest)
    last = first + share + (1 if rank < rest else 0)
    return start + first * step, start + last * step


@of_integers
def uneven_parts(count: int, workers: int) -> int:
    """How many MIs run `count` trips of different costs, so that workers that finish early find another."""
    return workers if workers == 1 else max(1, min(count, workers * PER_WORKER))


@of_integers
def part_count(count: int, parts: int) -> int:
    """How many MIs hand on a partial result: those that have some of `count` trips; one where there are none."""
    return max(1, min(count, parts))


@native
def with_trips(ranges: Any, owners: Any, start: int, stop: int, step: int) -> Any:
    """The ranges and owners of a partition that have trips of `range(start, stop, step)`, for a positive step.

    One owner of an empty range where none has.
    """
    kept = np.empty((len(ranges) + 1, 2), np.int64)
    ends = np.zeros(len(owners) + 1, np.int64)
    count, mine = 0, 0
    for owner in range(len(owners) - 1):
        first = count
        for part in range(owners[owner], owners[owner + 1]):
            if first_from(ranges[part, 0], start, step) < min(ranges[part, 1], stop):
                kept[count, 0] = ranges[part, 0]
                kept[count, 1] = ranges[part, 1]
                count += 1
        if count > first:
            mine += 1
            ends[mine] = count
    if mine == 0:
        kept[0, 0] = start
        kept[0, 1] = start
        ends[1] = 1
        return kept[:1], ends[:2]
    return kept[:count], ends[: mine + 1]


@of_integers
def grid_shape(parts: int, rows: int, columns: int) -> tuple[int, int]:
    """How `parts` MIs are laid out over rows and columns: as many along the rows as there are rows, since long inner
    runs are the fast ones; along the columns only what is left."""
    along = parts
    while along > 1 and (along > rows or parts % along != 0):
        along -= 1
    return along, max(1, min(parts // along, max(columns, 1)))


@of_integers
def first_from(low: int, start: int, step: int) -> int:
    """The first value of `range(start, ..., step)` that is at least `low`, for a positive step."""
    if low <= start:
        return start
    return start + (low - start + step - 1) // step * step


@of_integers
def logical_blocks(count: int, quantum: int) -> tuple[int, int]:
    """(number of blocks, trips in a block) for a reduction over `count` trips; depends on nothing else, so that the
    association of the reduction is the same for any number of workers and on any device."""
    length = (count + BLOCKS - 1) // BLOCKS if count > BLOCKS else 1
    length = (length + quantum - 1) // quantum * quantum
    return (count + length - 1) // length, length


@of_integers
def block_range(start: int, stop: int, step: int, block: int, length: int) -> tuple[int, int]:
    """The part of `range(start, stop, step)` in logical block number `block`."""
    count = trips(start, stop, step)
    first = block * length if block * length < count else count
    last = first + length if first + length < count else count
    return start + first * step, start + last * step
