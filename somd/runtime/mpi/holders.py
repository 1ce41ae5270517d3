"""Which rows of an array are current on which ranks, and what must travel before a phase.

In: what each rank is about to read and to write. Out: the pieces to be sent, and who holds what then. It is the same
computation on every rank, from the same history, so that nobody has to ask. Nothing here moves data.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from somd.runtime.intervals import Intervals, Range, joined, missing, within, without

#: for each rank, the rows that are current there
Holders = tuple[Intervals, ...]
#: for each rank, the rows from one number up to another, none where these are equal
Ranges = tuple[Range, ...]


class Piece(NamedTuple):
    """Rows [low, high) that one rank sends to another."""

    source: int
    target: int
    low: int
    high: int


def everywhere(rows: int, ranks: int) -> Holders:
    """All rows are current on all ranks."""
    return (((0, rows),) if rows else (),) * ranks


def blocks(rows: int, ranks: int) -> Ranges:
    """Rows cut evenly among ranks.

    >>> blocks(10, 4)
    ((0, 3), (3, 6), (6, 8), (8, 10))
    """
    share, rest = divmod(rows, ranks)
    ends = [share * rank + min(rank, rest) for rank in range(ranks + 1)]
    return tuple(itertools.pairwise(ends))


def holding(ranges: Ranges) -> Holders:
    """Each rank holds its range of rows."""
    return tuple(((low, high),) if low < high else () for low, high in ranges)


def nearest(rank: int, ranks: int) -> Iterator[int]:
    """All ranks, those next to one first.

    >>> list(nearest(3, 5))
    [3, 2, 4, 1, 0]
    """
    yield rank
    for distance in range(1, ranks):
        yield from (other for other in (rank - distance, rank + distance) if 0 <= other < ranks)


def in_turn(holders: Holders, rows: int) -> tuple[int, ...] | None:
    """Where to cut all rows so that each rank holds its part, and most ranks lack most rows; None where that cannot be,
    or is not so: then single messages carry less.

    >>> in_turn((((0, 5),), ((4, 8),)), 8), in_turn((((0, 8),), ((1, 8),)), 8)
    ((0, 5, 8), None)
    """
    lacking = sum(high - low for held in holders for low, high in missing(held, 0, rows))
    if not lacking or 2 * lacking < (len(holders) - 1) * rows:
        return None
    ends = [0]
    for held in holders:
        ends.append(next((high for low, high in held if low <= ends[-1] < high), ends[-1]))
    return tuple(ends) if ends[-1] == rows else None


@lru_cache(maxsize=1 << 14)
def before_reading(holders: Holders, wanted: Ranges) -> tuple[tuple[Piece, ...], Holders]:
    """The pieces after which every rank has the rows that it wants, and who holds what then. A rank asks its nearest
    neighbours first.

    >>> before_reading((((0, 4),), ((4, 8),)), ((0, 5), (4, 8)))
    ((Piece(source=1, target=0, low=4, high=5),), (((0, 5),), ((4, 8),)))
    """
    pieces: list[Piece] = []
    found = list(holders)
    for rank, (low, high) in enumerate(wanted):
        lacking = missing(holders[rank], low, high)
        if not lacking:
            continue
        for source in nearest(rank, len(holders)):
            parts = [part for a, b in lacking for part in within(holders[source], a, b)]
            pieces += [Piece(source, rank, a, b) for a, b in parts]
            for a, b in parts:
                lacking = without(lacking, a, b)
            if not lacking:
                break
        found[rank] = joined(holders[rank], low, high)
    return tuple(pieces), tuple(found)


@lru_cache(maxsize=1 << 14)
def after_writing(holders: Holders, written: Ranges) -> Holders:
    """Who holds what when every rank has written rows of its own.

    >>> after_writing((((0, 8),), ((0, 8),)), ((0, 4), (4, 6)))
    (((0, 4), (6, 8)), ((4, 8),))
    """
    found = list(holders)
    for writer, (low, high) in enumerate(written):
        if low < high:
            for rank in range(len(found)):
                rows = found[rank]
                found[rank] = joined(rows, low, high) if rank == writer else without(rows, low, high)
    return tuple(found)
