"""Panels of packed sums that all parts of a phase read: filled once, all of them, before the phase.

    B_panels = room((panels_to_share(...), A.shape[1], 32), np.float64)
    for rank in prange(n_slaves):
        lo, hi = slave_range(0, len(B_panels), 1, rank, n_slaves)
        gemm_slave_1_panels(lo, hi, 0, A, B, C, B_panels)
    for rank in prange(n_slaves):
        lo, hi = slave_range(0, C.shape[0], 1, rank, n_slaves)
        gemm_slave_1(lo, hi, A, B, C, alpha, beta, B_panels)

A part that is given none fills one panel after the other for itself (`packed_loops`): where rows are many, that costs
little, and a panel is still in the cache when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.emit.python_text import numpy_name
from somd.transforms.loops.program import Region
from somd.transforms.loops.scopes import assigned
from somd.transforms.multicore.names import FAR, Fresh

#: rows of a part from which on it fills panels for itself: that takes as long as the tiles of 24 rows
MANY_ROWS = 384
#: the tiles of rows that a part has at least where panels are there for all: it reads them from a cache that all share
LEAST_TILES = 5
#: operations that copying a number counts as
WORK = 3


@dataclass(frozen=True)
class SharedPanels:
    """The panels of one packed loop: the arrays that hold them, with their dtypes, the function that fills panels `lo`
    to `hi` of all, and its arguments but for these and the arrays. `first`, `stop` and `trips` are texts: the columns,
    and how many trips the loop has; `wide` is how many columns a panel has, and `tall` how many rows a tile."""

    arrays: tuple[tuple[str, str], ...]
    name: str
    arguments: tuple[str, ...]
    function: cst.FunctionDef
    first: str
    stop: str
    trips: str
    wide: int
    tall: int
    #: the place of the loop over rows among those of the phase
    level: int
    #: whether they are filled for one part, too: it would fill them more than once
    always: bool

    def rooms(self, count: str) -> list[str]:
        """The statements that make room for so many panels."""
        shape = f"({count}, {self.trips}, {self.wide})"
        return [f"{name} = room({shape}, np.{numpy_name(dtype)})" for name, dtype in self.arrays]

    def filled(self, first: str, stop: str, at: str, arrays: Sequence[str]) -> str:
        """The call that fills panels from one up to another; the first of the arrays' is panel `at`."""
        return f"{self.name}({', '.join((first, stop, at, *self.arguments, *arrays))})"

    def all_filled(self) -> str:
        """The call that fills all panels."""
        names = [name for name, _ in self.arrays]
        return self.filled("0", f"len({names[0]})", "0", names)

    def count(self, limits: Sequence[str], most: str) -> str:
        """How many there are, for the loops of a phase between these limits and no more than so many rows."""
        rows = " * ".join(f"trips({each})" for each in limits[: self.level + 1])
        columns = self.stop if self.first == "0" else f"{self.stop} - ({self.first})"
        return f"panels_to_share({rows}, {most}, {columns}, {self.wide}, {self.trips})"


def panels_alone(shared: Sequence[SharedPanels], limits: Sequence[str]) -> str:
    """The lines of a master before one MI runs a phase, whose loops have these limits."""
    lines: list[str] = []
    for each in shared:
        lines += [*each.rooms(each.count(limits, FAR)), each.all_filled()] if each.always else each.rooms("0")
    return "".join(f"{line}\n" for line in lines)


def panels_divided(shared: Sequence[SharedPanels], limits: Sequence[str], fresh: Fresh) -> str:
    """The lines of a master before several MIs run a phase."""
    workers, rank, lo, hi = map(fresh.name, ("n_slaves", "rank", "lo", "hi"))
    lines: list[str] = []
    for each in shared:
        names = [name for name, _ in each.arrays]
        most = FAR if each.always else f"{MANY_ROWS} * ({workers} - 1)"
        lines += [
            *each.rooms(each.count(limits, most)),
            f"if len({names[0]}) * {each.trips} * {each.wide * WORK} < small_work():",
            f"    {each.all_filled()}",
            "else:",
            f"    for {rank} in prange({workers}):",
            f"        {lo}, {hi} = slave_range(0, len({names[0]}), 1, {rank}, {workers})",
            f"        {each.filled(lo, hi, '0', names)}",
        ]
    return "".join(f"{line}\n" for line in lines)


def least_rows(shared: Sequence[SharedPanels]) -> int:
    """The trips of the outermost loop that a part of a phase with such panels may have without costing more than in a
    larger one; 0 for no panels."""
    return min((1 if each.always else LEAST_TILES * each.tall for each in shared), default=0)


def spare_parts(shared: Sequence[SharedPanels], count: str, workers: str, least: int, parts: str) -> tuple[str, str]:
    """The line that sets how many parts of `least` of `count` trips or more a phase has, and their name; as many as
    workers where none may be so small, or there are no panels this time."""
    if least == 0:
        return "", workers
    given = "".join(f" if len({each.arrays[0][0]}) > 0 else {workers}" for each in shared[:1])
    return f"{parts} = spare_parts({count}, {workers}, {least}){given}\n", parts


def share_of_rows(shared: Sequence[SharedPanels], limits: str, part: str) -> str:
    """The call that gives the trips of a part, of those in `limits`, the arguments of `range`: whole tiles where trips
    are rows of tiles. `part`: which one, of how many."""
    if least_rows(shared) <= 1:
        return f"slave_range({limits}, {part})"
    return f"sloped_range({limits.rsplit(', ', 1)[0]}, {part}, 1, 1, {shared[0].tall})"


def changed_by(region: Region) -> frozenset[str]:
    """The scalars that a region sets, or its pieces do."""
    regions = [region, *region.pieces]
    loops = {loop.variable.name for each in regions for loop in each.loops}
    return frozenset(loops.union(*(assigned(each.body) for each in regions)))
