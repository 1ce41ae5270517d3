"""How the interpreter cuts the iterations of a region that no partitioner cuts: blocks of neighbours, by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from somd.transforms.loops.program import Region

#: iterations in a logical block of a reduction, at most, and private copies of an array
BLOCK, COPIES = 5, 4


def neighbours(region: Region, count: int, chance: random.Random, forwards: bool) -> Iterator[Sequence[int]]:
    """The numbers of the iterations of each block; all iterations are one where they run forwards and hand something
    on."""
    most, first = BLOCK if region.carried or region.strips is not None else 1, 0
    if region.combined:
        most = max(BLOCK, -(-count // COPIES))
    elif region.carried and forwards:
        most = count
    free = region.carried and not region.combined and not forwards
    while first < count:
        size = chance.randint(1, most) if free else most
        yield range(first, min(count, first + size))
        first += size
