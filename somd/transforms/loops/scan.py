"""The node of scans, for `program`, and what it means: values before blocks, from what blocks make of some values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from somd.language.scanning import SCANS
from somd.transforms.loops.operators import number

if TYPE_CHECKING:
    from somd.transforms.loops.program import Region, Variable


@dataclass(frozen=True)
class CarriedScalar:
    """A scalar that iterations of a scan hand on, by an operator of `SCANS`; None: each sets it, and none reads it."""

    variable: Variable
    by: str | None


@dataclass(frozen=True)
class Scan:
    """A region whose blocks of iterations begin with what the blocks before them make of the scalars they hand on.

    `totals` tells what they make of these: it runs over the same iterations, writes no array, and sets the scalars as
    the region does. It is run once for each point of their operators, each block from that point. Where one part runs
    all iterations, it is not run.
    """

    totals: Region
    region: Region
    carries: tuple[CarriedScalar, ...]

    @property
    def points(self) -> int:
        """How often the totals are run."""
        return max(len(SCANS[each.by].points) for each in self.carries if each.by is not None)

    def point(self, place: int) -> tuple[Any, ...]:
        """What the scalars of the totals are when they are run for the `place`th time, in the order of `handed_on`."""
        return tuple(start(each, place) for each in self.carries if each.by is not None)


def start(carried: CarriedScalar, place: int) -> Any:
    """What a block starts a scalar from."""
    points, dtype = SCANS[carried.by or ""].points, np.dtype(carried.variable.type.dtype)
    return number(points[min(place, len(points) - 1)](dtype), dtype.name)


def carries(carried: CarriedScalar, value: Any, made: Sequence[Sequence[Any]]) -> list[Any]:
    """The values before each block and behind the last one; `made` has for each block what it makes of the points."""
    found, dtype = [value], carried.variable.type.dtype
    for of_block in made:
        known = SCANS[carried.by or ""]
        found.append(number(known.after(found[-1], *of_block[: len(known.points)]), dtype))
    return found


Names = dict[str, Any]
Points = Sequence[tuple[int, ...]]
Blocks = Sequence[Sequence[int]]
Starts = Sequence[tuple[Any, ...]]


class Runs(Protocol):
    """What the interpreter has for one run of a region."""

    failed: bool

    def begun(self, names: Names) -> tuple[Points, Names]: ...
    def cut(self, names: Names, points: Points) -> Blocks: ...
    def blocks(
        self, names: Names, common: Names, points: Points, blocks: Blocks, starts: Starts, fails: bool = True
    ) -> list[tuple[Any, ...]]: ...


def run_scan(scan: Scan, names: Names, begin: Callable[[Region], Runs]) -> None:
    """Run a scan in the interpreter, which begins to run a region by `begin`."""
    points, common = begin(scan.region).begun(names)
    blocks = begin(scan.region).cut(names, points)
    made: list[list[tuple[Any, ...]]] = []
    for place in range(scan.points if len(blocks) > 1 else 0):
        totals = begin(scan.totals)
        made.append(totals.blocks(names, common, points, blocks, [scan.point(place)] * len(blocks), False))
        if totals.failed:  # no block behind has a value to begin with
            blocks = [range(len(points))]
            break
    values = {each: [names.get(each.variable.name)] * len(blocks) for each in scan.carries}
    scanned = [each for each in scan.carries if each.by is not None]
    for place, each in enumerate(scanned if len(blocks) > 1 else ()):
        of_blocks = [[partials[block][place] for partials in made] for block in range(len(blocks))]
        values[each] = carries(each, names[each.variable.name], of_blocks)
    starts = [tuple(of_block[k] for of_block in values.values()) for k in range(len(blocks))]
    partials = begin(scan.region).blocks(names, common, points, blocks, starts)
    for each, value in zip(scan.carries, partials[-1], strict=True):
        if value is not None:
            names[each.variable.name] = value
