"""How many sweeps of a uniform loop an MI runs between two fences, and in which blocks of rows."""

from __future__ import annotations

from typing import Any

from somd.runtime.multicore.native import native
from somd.runtime.multicore.partition import slave_range

#: bytes that a core's own cache holds beside what else it needs
CACHE = 3 << 18
#: bytes that a region may go through before signals are answered, where no fence is needed: less than a second
AT_ONCE = 1 << 30
#: the most rows that an MI gives away at one of its ends; more sweeps at a time bring nothing more
DEEPEST = 32


@native
def sweeps_at_a_time(
    turns: int, least: int, rows: int, parts: int, reach: int, memory: int, small: int
) -> tuple[int, int]:
    """(turns of the loop between two fences, rows in a block); (0, 0) where a fence behind each sweep is better.

    `turns`: of the loop; `least`: turns under which it does not pay; `rows`: of which each MI has a part; `reach`: how
    many rows a turn reaches beyond an MI's own; `memory`: bytes of the arrays, not worth it below `small`.
    """
    if turns < least or rows < 1 or memory < small:
        return 0, 0
    cached = max(1, rows * CACHE // max(memory, 1))
    if reach == 0:
        return min(turns, max(1, AT_ONCE // max(memory, 1))), cached
    # a part must be at least two wedges wide; at a sixteenth, what MIs at the edges wait for the wedges is 3 in 100
    deepest = min(DEEPEST, cached // 2) if parts == 1 else min(DEEPEST, cached // 2, rows // (8 * parts))
    depth = min(turns, deepest // reach)
    if depth * reach < 2:
        return 0, 0
    return depth, max(reach, cached - depth * reach)


@native
def packed_shape(array: Any, stride: int) -> tuple[int, int, int]:
    """The shape of a two-dimensional array taken apart: part, row, place."""
    return stride, array.shape[0], (array.shape[1] + stride - 1) // stride


@native
def pack(array: Any, packed: Any, rank: int, parts: int) -> None:
    """Take the rows of MI `rank` apart: column j goes to place j // stride of part j % stride."""
    stride, columns = packed.shape[0], array.shape[1]
    first, last = slave_range(0, array.shape[0], 1, rank, parts)
    for row in range(first, last):
        for part in range(stride):
            for place in range((columns - part + stride - 1) // stride):
                packed[part, row, place] = array[row, place * stride + part]


@native
def unpack(array: Any, packed: Any, rank: int, parts: int) -> None:
    """Put the rows of MI `rank` together again."""
    stride, columns = packed.shape[0], array.shape[1]
    first, last = slave_range(0, array.shape[0], 1, rank, parts)
    for row in range(first, last):
        for part in range(stride):
            for place in range((columns - part + stride - 1) // stride):
                array[row, place * stride + part] = packed[part, row, place]
