"""The work-group size of a launch. In: the index space and what the device tells of a kernel. Out: a local size.

Measured on a red-black stencil of 998 x 998 doubles: PoCL is fastest with its vector width (8) by 8, twice as fast as
with longer rows; Intel's CPU runtime (multiple 128) is level from 64 x 4 on, and 20 % slower at 64 x 1. One-dimensional
kernels do not care from 128 on, on either.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

#: a loop of so many trips is worth the work-items of a group; fewer are where the iterations are few
SHORT, MANY = 32, 4096
#: iterations for which a tile is worth its barriers
ROWS = 16
#: additions for which blocks of a chain are added up side by side
LONG_CHAIN = 1024
#: how many times as quick a group with a tile of sums is as those that have no tile
QUICKER = 6
#: groups for each unit of a device, so that it waits for none
GROUPS_OF_A_UNIT = 4
#: the part of a device that must have large tiles, lest smaller ones, of which more are under way, be quicker
FILLED = 0.65
#: devices for which groups bring in tiles
KINDS_WITH_TILES = ("gpu", "simulator")
#: work-items of a group that has one row, fewer for shorter ones, and the shortest loop that is worth it
OF_A_ROW, LONG_ROW, ROW = 256, 1024, 128
#: bytes of local memory for what these find
OF_A_ROW_FOUND = 3072
#: of a group that keeps several rows in local memory: the bytes that they may take where there is more than one, and
#: those of a word, of which each row has an odd number; and bytes for what work-items find
BYTES_OF_ROWS, WORD, OF_ROWS_FOUND = 40000, 16, 6144
#: work-items that share an iteration, at most
MOST_LANES = {"gpu": 256}


@dataclass(frozen=True)
class Limits:
    """`multiple`: what the size of a group should be a multiple of; `largest`: items in a group, for this kernel;
    `units`: how many parts of the device run groups side by side."""

    kind: str
    multiple: int
    largest: int
    per_dimension: tuple[int, ...]
    units: int = 1


@functools.lru_cache(maxsize=4096)
def local_size(limits: Limits, size: tuple[int, ...]) -> tuple[int, ...]:
    """The local size for an index space of `size` (dimension 0 is the fastest): powers of two, within the limits.

    A dimension shorter than its share of the group gives what it does not need to the others.
    """
    wanted = _wanted(limits, len(size))
    if len(size) == 1 and limits.kind == "gpu":  # few work-items: to as many units as they are enough for
        shares = _power_below(-(-size[0] // limits.units))
        wanted = (min(wanted[0], max(_power_below(limits.multiple), shares)),)
    total = 1
    for part in wanted:
        total *= part
    while total > limits.largest:
        total //= 2
    # What a dimension can take at most: no more than its index space, nor than the device allows.
    most = limits.per_dimension
    caps = [min(_power_above(extent), _power_below(most[dimension])) for dimension, extent in enumerate(size)]
    local = []
    for part, cap in zip(wanted, caps, strict=True):
        local.append(min(part, cap, total))
        total //= local[-1]
    for dimension, cap in enumerate(caps):
        while total > 1 and local[dimension] * 2 <= cap:
            local[dimension] *= 2
            total //= 2
    return tuple(local)


@functools.lru_cache(maxsize=4096)
def rounded(size: tuple[int, ...], local: tuple[int, ...]) -> tuple[int, ...]:
    """The index space, each dimension rounded up to a multiple of its local size; the kernels guard themselves."""
    return tuple(-(-extent // part) * part for extent, part in zip(size, local, strict=True))


def lanes(limits: Limits, count: int, inner: int | None) -> int:
    """Work-items for each of `count` iterations with a loop of `inner` trips (None: unknown) in it, which they share;
    0 where one is enough, because the loop is short or there are iterations enough to fill the device."""
    if inner is not None and inner < SHORT and (count >= MANY or inner < SHORT // 4):
        return 0
    most = min(MOST_LANES.get(limits.kind, 64), limits.largest)
    return min(most, max(SHORT, _power_above(inner or most)))


def tiles(count: int, rows: int) -> int:
    """The tiles of `count` rows, so many in each."""
    return -(-count // rows)


def folded(columns: int, rows: int) -> int:
    """The tiles at or above the diagonal of a square of so many columns of tiles, with so many `rows` of tiles beside
    each other column."""
    return rows * columns * (columns + 1) // 2


def tile_lanes(limits: Limits, count: int, inner: int | None, wanted: int) -> int:
    """The work-items that bring in a tile, as many as are `wanted`; 0 for short loops, and where a cache will do."""
    if count < ROWS or (inner is not None and inner < SHORT):
        return 0
    return striped_lanes(limits, wanted)


def short_lanes(limits: Limits, wanted: int, most: int, widths: tuple[int, ...]) -> int:
    """The work-items of a group that wants so many, and brings in whole rows of such `widths`, of which it has room for
    `most`; 0 for longer ones, and where a cache will do."""
    return striped_lanes(limits, wanted) if max(widths) <= most else 0


def striped_lanes(limits: Limits, wanted: int) -> int:
    """The work-items of a group that wants so many, and shares what they load; 0 where a cache does what it would."""
    return wanted if limits.kind in KINDS_WITH_TILES and limits.largest >= wanted else 0


def of_rows(limits: Limits, rows: tuple[int, ...], inner: tuple[int, ...], widths: tuple[int, ...]) -> int:
    """The bytes of local memory for arrays of `widths` bytes in groups that run a row of several phases each; 0 where
    phases have other `rows`, or a group too little to do."""
    alike = len(set(rows)) == 1 and rows[0] > 0 and max(inner, default=0) >= ROW
    return sum(-(-width // 8) * 8 for width in widths) if alike and striped_lanes(limits, OF_A_ROW) else 0


def bytes_of_row(widths: tuple[tuple[int, ...], ...]) -> int:
    """The bytes of local memory for a row of each iteration: for each of its places the bytes of an element, and what
    lengths may lie there."""
    return sum((-(-size * max(lengths) // WORD) | 1) * WORD for size, *lengths in widths)


def rows_of_group(limits: Limits, count: int, most: int, nbytes: int, local: int) -> int:
    """How many of `count` rows of so many bytes a group keeps, a power of two up to `most`, in so much local memory:
    what has an order is done for all of them at once, but each unit wants several groups."""
    room = max(1, min(BYTES_OF_ROWS, local) // nbytes)
    return _power_below(min(most, room, group_rows(limits.units, count, most)))


def lanes_of_row(inner: int) -> int:
    """The work-items of a group that runs loops of so many trips: more groups at once hide more of what each waits for,
    but each of them has a row of local memory."""
    return OF_A_ROW if inner > LONG_ROW else OF_A_ROW // 2


def group_rows(units: int, count: int, most: int) -> int:
    """How many of `count` iterations a group runs, at most so many: fewer where that makes groups for all units."""
    return max(1, min(most, tiles(count, units * GROUPS_OF_A_UNIT)))


def group_of(limits: Limits, most: int) -> int:
    """The largest power of two of work-items that `most` and the limits allow."""
    return _power_below(min(most, limits.largest, limits.per_dimension[0]))


def _wanted(limits: Limits, dimensions: int) -> tuple[int, ...]:
    if dimensions == 1:
        return (max(256, _power_below(limits.multiple)),)
    row = _power_below(limits.multiple)
    if limits.kind == "gpu":
        row = max(32, row)
    return (row, 8) if dimensions == 2 else (row, 4, 2)


def _power_below(value: int) -> int:
    return 1 << (max(value, 1).bit_length() - 1)


def _power_above(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()
