"""In which turns the interpreter runs a region that has a tile: whole tiles, and trips of the tiled loop one by one.

In: the iterations of a region in their order, by number and as points of its loops. Out: which of them run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from somd.transforms.loops.program import Region
from somd.transforms.loops.witness import claim

Points = Sequence[tuple[int, ...]]


def cut_in_tiles(points: Points, region: Region, takes: Callable[[], bool]) -> Iterator[tuple[Sequence[int], bool]]:
    """The numbers of the iterations of tiles, where there is a whole one and `takes` says so, and of single trips of
    the tiled loop; and whether it is a tile."""
    assert region.tile is not None
    at, count = region.tiled, region.tile.count
    rows: dict[tuple[int, ...], list[int]] = {}
    for trip, point in enumerate(points):
        rows.setdefault(point[: at + 1], []).append(trip)
    waiting = list(rows)
    while waiting:
        first = waiting[0]
        wanted = [(*first[:-1], first[-1] + k) for k in range(count)]
        whole = wanted == waiting[:count] and takes()
        yield [trip for each in (wanted if whole else [first]) for trip in rows[each]], whole
        del waiting[: count if whole else 1]


def first_row(block: Sequence[int], points: Points, at: int) -> list[int]:
    """The iterations of a tile that the variable of the tile stands for: the tile's body does the others, too."""
    rows: dict[int, list[int]] = {}
    for trip in block:
        rows.setdefault(points[trip][at], []).append(trip)
    ends = {tuple(points[trip][at + 1 :] for trip in row) for row in rows.values()}
    claim(len(ends) == 1, "the rows of a tile have the same trips")
    return rows[points[block[0]][at]]
