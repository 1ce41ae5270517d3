"""In which turns the interpreter runs a region that has a tile: whole tiles, and trips of the tiled loop one by one;
and one that has pieces: parts of the outermost loop, or chunks of the innermost one.

In: the iterations of a region in their order, by number and as points of its loops. Out: which of them run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

import numpy as np

from somd.transforms.loops.meaning import Names, Value
from somd.transforms.loops.program import Region
from somd.transforms.loops.witness import claim

Row = tuple[int, ...]
Points = Sequence[tuple[int, ...]]


def cut_in_tiles(
    points: Points, region: Region, takes: Callable[[], bool], shared: Callable[[Row], range | None]
) -> Iterator[tuple[Sequence[int], bool]]:
    """The numbers of the iterations of tiles, where there is a whole one and `takes` says so, and of single trips of
    the tiled loop; and whether it is a tile. `shared` are the trips of the loop inside that a tile has, if not all."""
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
        common = shared(first) if whole else None
        taken = [rows[each] for each in (wanted if whole else [first])]
        if common is not None:
            inside = [[trip for trip in row if points[trip][at + 1] in common] for row in taken]
            claim(all(len(row) == len(common) for row in inside), "the trips of a tile are those of all its rows")
            singles = [[trip for trip in row if trip not in mine] for row, mine in zip(taken, inside, strict=True)]
            yield from ((row, False) for row in singles if row)
            taken = inside
        if any(taken):
            yield [trip for row in taken for trip in row], whole
        del waiting[: count if whole else 1]


def parts_of(trips: Sequence[int], chance: Random) -> list[tuple[int, int]]:
    """Parts of the trips of a loop, in any order, as ranges of its variable."""
    at = chance.randint(0, len(trips))
    parts = [(min(part), max(part) + 1) for part in (trips[:at], trips[at:]) if part]
    chance.shuffle(parts)
    return parts


def chunks_of(points: Points, chance: Random) -> list[Points]:
    """Neighbours along the innermost loop, some at a time, in any order."""
    chunks: list[list[tuple[int, ...]]] = []
    for point in points:
        follows = bool(chunks) and point == (*chunks[-1][-1][:-1], chunks[-1][-1][-1] + 1)
        if follows and chance.random() < 0.75:
            chunks[-1].append(point)
        else:
            chunks.append([point])
    chance.shuffle(chunks)
    return [*chunks]


def shared_trips(region: Region, limits: Sequence[Value], names: Names) -> Callable[[Row], range | None]:
    """By the row that a tile begins with: the trips of the loop inside that its rows share, between limits; None for
    all that they have."""
    variables = [loop.variable.name for loop in region.loops]

    def shared(row: Row) -> range | None:
        known = {**names, **dict(zip(variables, map(np.int64, row), strict=False))}
        return range(*(int(each(known)) for each in limits)) if limits else None

    return shared


def first_row(block: Sequence[int], points: Points, at: int) -> list[int]:
    """The iterations of a tile that the variable of the tile stands for: the tile's body does the others, too."""
    rows: dict[int, list[int]] = {}
    for trip in block:
        rows.setdefault(points[trip][at], []).append(trip)
    ends = {tuple(points[trip][at + 1 :] for trip in row) for row in rows.values()}
    claim(len(ends) == 1, "the rows of a tile have the same trips")
    return rows[points[block[0]][at]]
