"""How many sweeps of a uniform loop an MI runs between two fences, and in which blocks of rows."""

from __future__ import annotations

from typing import Any

from somd.runtime.multicore.integers import of_integers
from somd.runtime.multicore.intrinsics import FAR, assume
from somd.runtime.multicore.numba_internals.native import native
from somd.runtime.multicore.partition import slave_range

#: bytes that a core's own cache holds beside what else it needs
CACHE = 3 << 18
#: bytes that a region may go through before signals are answered, where no fence is needed: less than a second
AT_ONCE = 1 << 30
#: the most rows that an MI gives away at one of its ends; more sweeps at a time bring nothing more
DEEPEST = 32
#: bytes of its rows that an MI goes through while it waits for another one at a fence, for each MI
FENCE = 1 << 15
#: rows from which a product of them with bytes may leave 64 bits
MOST_ROWS = 1 << 40


@of_integers
def sweeps_at_a_time(
    turns: int, sweeps: int, radius: int, rows: int, workers: int, memory: int, small: int
) -> tuple[int, int, int]:
    """(turns of the loop between two fences, rows in a block, number of MIs).

    `turns`: of the loop, of `sweeps` each; `radius`: how many rows a sweep reaches beyond its own; `rows`: of which
    each MI has a part; `memory`: bytes of the arrays, for which one MI will do below `small`.
    """
    cached = max(1, min(rows, MOST_ROWS) * CACHE // max(memory, 1))
    parts = 1 if memory < small else max(1, min(workers, rows))
    if radius == 0:
        return max(1, min(turns, AT_ONCE // max(memory, 1))), cached, parts
    reach = radius * sweeps
    if sweeps > 1:  # even one turn leaves wedges, and a part must be at least two of them wide
        parts = max(1, min(parts, rows // (2 * reach)))
    deepest = min(DEEPEST, cached // 2)
    if parts > 1:
        # At a sixteenth of a part, what MIs at the edges wait for the wedges is 3 in 100. If they give d rows away,
        # they wait as long as d / 2 rows take, and for fences as long as 2 * f * r / d: least where d * d is 4 * f * r.
        fence = FENCE * parts // max(memory // max(rows, 1), 1)
        best = 0
        while best < DEEPEST and best * best < 4 * fence * radius:
            best += 1
        deepest = min(deepest, max(rows // (8 * parts), min(best, rows // (4 * parts))))
    depth = max(1, min(turns, deepest // reach))
    return depth, max(radius, cached - depth * reach), parts


@of_integers
def packed_shape(rows: int, columns: int, stride: int, apart: bool) -> tuple[int, int, int]:
    """The shape of a two-dimensional array taken apart: part, row, place; nothing unless it is taken apart."""
    if apart:
        return stride, rows, (columns + stride - 1) // stride
    return 0, 0, 0


@native
def repack(array: Any, packed: Any, back: bool, rank: int, parts: int) -> None:
    """Take the rows of MI `rank` apart: column j goes to place j // stride of part j % stride. Or put them together
    again."""
    stride, columns = packed.shape[0], array.shape[1]
    first, last = slave_range(0, array.shape[0], 1, rank, parts)
    for row in range(first, last):
        for part in range(stride):
            for place in range((columns - part + stride - 1) // stride):
                assume(place * stride + part >= 0, place * stride + part < FAR)
                if back:
                    array[row, place * stride + part] = packed[part, row, place]
                else:
                    packed[part, row, place] = array[row, place * stride + part]
