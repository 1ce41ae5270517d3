"""Index ranges: the share of an MI, and the logical blocks of a reduction.

A range is split by its trips, so that parts are disjoint, in order, covering, balanced to within one trip and aligned
with the step, whatever its sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.runtime import blocks
from somd.runtime.multicore.arrays import room
from somd.runtime.multicore.integers import of_integers
from somd.runtime.multicore.numba_internals.native import native
from somd.runtime.multicore.small_work import small_work

#: MIs for each worker where the costs of iterations differ
PER_WORKER = 16
#: MIs for each worker, of which there are at least so many, where costs are equal and MIs may be small
SPARE, FEW_WORKERS = 4, 4
#: turns of an inner loop that an iteration costs besides
ROW_COST = 4.0
#: iterations in a chunk, at least and at most, and the bytes that their arrays may take for more than the least
LEAST_CHUNK, MOST_CHUNK = 12, 192
CHUNK_BYTES = 1 << 20
#: the numbers that panels for all parts of a phase may hold
MOST_SHARED = 1 << 25
#: the greatest integer of 64 bits
MOST = (1 << 63) - 1
logical_blocks = of_integers(blocks.logical_blocks)


@of_integers
def trips(start: int, stop: int, step: int) -> int:
    """How many values `range(start, stop, step)` has; where it goes over more than 2**63 integers, about so many."""
    if step > 0:
        if start >= stop:
            return 0
        distance = stop - start - 1
    else:
        if start <= stop:
            return 0
        distance, step = start - stop - 1, -step
    if distance < 0:  # it is 2**63 at least, and wraps
        distance = MOST - 1
    return distance // step + 1 if distance < MOST else MOST


@of_integers
def place_of(trip: int, count: int, start: int, stop: int, step: int) -> int:
    """Where trip number `trip` of `count` begins; behind the last one `stop`, for a step more may leave 64 bits."""
    return stop if trip == count and count > 0 else start + trip * step


@of_integers
def slave_range(start: int, stop: int, step: int, rank: int, parts: int) -> tuple[int, int]:
    """The part of `range(start, stop, step)` that belongs to MI `rank` of `parts` (the paper's IndexPartitioner)."""
    count = trips(start, stop, step)
    share, rest = count // parts, count % parts
    first = rank * share + (rank if rank < rest else rest)
    last = first + share + (1 if rank < rest else 0)
    return place_of(first, count, start, stop, step), place_of(last, count, start, stop, step)


@of_integers
def uneven_parts(count: int, workers: int) -> int:
    """How many MIs run `count` trips of different costs, so that workers that finish early find another."""
    return workers if workers == 1 else max(1, min(count, workers * PER_WORKER))


@of_integers
def spare_parts(count: int, workers: int, least: int) -> int:
    """How many MIs run `count` trips of equal costs, of `least` trips or more if there are more MIs than workers: where
    workers are many, one of them is late or slow at times, and others do what it has not begun."""
    return workers if workers < FEW_WORKERS else max(workers, min(count // least, workers * SPARE))


@of_integers
def chunk_trips(nbytes: int) -> int:
    """How many iterations that have `nbytes` of arrays each go through the pieces of a phase at a time: whole tiles."""
    return max(LEAST_CHUNK, min(MOST_CHUNK, CHUNK_BYTES // max(nbytes, 1) // LEAST_CHUNK * LEAST_CHUNK))


@native
def parts_of_rows(pointers: Any, start: int, stop: int, parts: int) -> Any:
    """Where parts of `range(start, stop)` of about equal work begin, and the last one ends, shape (parts + 1,).

    The inner loops of iteration i run over `range(pointers[i], pointers[i + 1])`. Whatever the pointers hold, parts are
    disjoint, in order and covering; where they never fall no part costs more than its share and one iteration.
    """
    ends = room(parts + 1, np.int64)
    ends[0], ends[parts] = start, stop
    known = 0 <= start <= stop < len(pointers)
    begin = np.float64(pointers[start]) if known else 0.0
    whole = np.float64(pointers[stop]) - begin + ROW_COST * (stop - start) if known else 0.0
    for part in range(1, parts):
        low, high = ends[part - 1], stop
        if not whole > 0.0:
            ends[part] = low + (high - low) // (parts - part + 1)
            continue
        while low < high:
            middle = (low + high) // 2
            if np.float64(pointers[middle]) - begin + ROW_COST * (middle - start) < whole * part / parts:
                low = middle + 1
            else:
                high = middle
        ends[part] = low
    return ends


@of_integers
def part_count(count: int, parts: int) -> int:
    """How many MIs hand on a partial result: those that have some of `count` trips; one where there are none."""
    return max(1, min(count, parts))


@native
def with_trips(ranges: Any, owners: Any, start: int, stop: int, step: int) -> Any:
    """The ranges and owners of a partition that have trips of `range(start, stop, step)`, for a positive step.

    One owner of an empty range where none has.
    """
    kept, ends = room((len(ranges) + 1, 2), np.int64), room(len(owners) + 1, np.int64)
    for owner in range(len(ends)):
        ends[owner] = 0
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
def columns_shape(parts: int, rows: int, columns: int, many: int, panel: int) -> tuple[int, int]:
    """How `parts` MIs are laid out over rows and columns of sums for each of which panels of `panel` columns are filled
    first: along the rows while each has `many` of them, along the columns what is left; all along the rows where that
    leaves half of the MIs out."""
    along = min(parts, max(rows // many, 1))
    while parts % along != 0:
        along -= 1
    across = min(parts // along, max(columns // panel, 1))
    if along * across * 2 <= parts:
        return max(1, min(parts, rows)), 1
    return along, across


@of_integers
def panels_to_share(rows: int, most: int, columns: int, panel: int, trips: int) -> int:
    """How many panels of `panel` columns, with a number for each of `trips` trips, are filled for all parts of a phase:
    none where it has no rows or more than `most`, or panels would take much memory."""
    if rows <= 0 or rows > most or columns <= 0 or trips <= 0 or columns > MOST_SHARED or trips > MOST_SHARED:
        return 0
    count = (columns + panel - 1) // panel
    return count if count * panel * trips <= MOST_SHARED else 0


@of_integers
def sloped_range(
    start: int, stop: int, rank: int, parts: int, first_cost: int, last_cost: int, many: int
) -> tuple[int, int]:
    """The part of `range(start, stop)` that belongs to MI `rank` of `parts`, where costs go evenly from that of the
    first trip to that of the last: parts of about equal cost, which have multiples of `many` trips where all have
    some."""
    return (
        sloped_place(start, stop, rank, parts, first_cost, last_cost, many),
        sloped_place(start, stop, rank + 1, parts, first_cost, last_cost, many),
    )


@of_integers
def sloped_place(start: int, stop: int, place: int, parts: int, first_cost: int, last_cost: int, many: int) -> int:
    """Where part number `place` of such a range begins; `stop` behind the last part."""
    count = max(stop - start, 0)
    if place <= 0 or count == 0:
        return start
    if place >= parts:
        return stop
    first, last = max(first_cost, 1), max(last_cost, 1)
    while first + last > 2048:  # no number below leaves 64 bits
        first, last = first // 2, last // 2
    if count > 1048576 or parts > 512:
        first, last, many = 1, 1, 1
        low, high = count // parts * place + min(place, count % parts), 0
    else:
        low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if (2 * first * count + (last - first) * middle) * middle * parts < (first + last) * count * count * place:
            low = middle + 1
        else:
            high = middle
    if count >= 2 * many * parts:
        low = min((low + many // 2) // many * many, count)
    return start + low


@of_integers
def first_from(low: int, start: int, step: int) -> int:
    """The first value of `range(start, ..., step)` that is at least `low`, for a positive step."""
    if low <= start:
        return start
    return start + (low - start + step - 1) // step * step


@of_integers
def block_range(start: int, stop: int, step: int, block: int, length: int) -> tuple[int, int]:
    """The part of `range(start, stop, step)` in logical block number `block`."""
    count = trips(start, stop, step)
    first = block * length if block * length < count else count
    last = first + length if length < count - first else count
    return place_of(first, count, start, stop, step), place_of(last, count, start, stop, step)


@native
def blocks_at_once() -> int:
    """How many blocks of a scan of floats are a strip: a million trips, of which 16 threads keep their parts in their
    caches, or more where fences are dear."""
    return min(max(64, small_work() // 1000), 1 << 30)  # type: ignore[call-arg]
