"""The parts of a launch, one a device: where each begins, and what it touches of which array."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from somd.runtime.opencl.several.arrays import Spread

#: work-items that are not worth a second device
FEW = 4096
#: units at the two ends of a part that may wait for rows of others, the fewest first
Borders = tuple[int, int]
BORDERS: list[Borders] = sorted(itertools.product((0, 1, 2, 4, 8), (0, 1, 2, 4, 8)), key=sum)
#: what work-items from one to another touch: see `Run.split`
RowsOf = Callable[[int, int], tuple[tuple[object, ...], ...]]
#: arrays with ranges of their rows
Touched = tuple[tuple[Spread, tuple[int, int]], ...]


@dataclass(frozen=True)
class Cut:
    """An index space of work-items, or of work-groups, that is cut along a dimension into multiples of `unit`, of which
    `rows` tells what they touch; without that it is one part."""

    space: tuple[int, ...]
    local: tuple[int, ...]
    groups: bool
    dimension: int
    unit: int
    rows: RowsOf | None
    given: Sequence[Spread]
    used: Sequence[Spread]
    changed: Sequence[Spread]

    def part(self, device: int, low: int, high: int) -> Part:
        """What lies from `low`, a multiple of `unit`, up to `high`, for a device."""
        first, size = [0] * len(self.space), [-(-n // m) * m for n, m in zip(self.space, self.local, strict=True)]
        if self.groups:
            first[0], size[0] = low * self.local[0], (high - low) * self.local[0]
        else:
            first[self.dimension], size[self.dimension] = low, -(-(high - low) // self.unit) * self.unit
        touched, written = _touched(self.rows, low, high - 1, self.given, self.used, self.changed)
        return Part(device, tuple(first), tuple(size), self.local, touched, written, self, low, high)


class Part(NamedTuple):
    """Work-items `first` to `first` + `size` for a device, in groups of `local`; rows [low, high) of arrays. It is what
    lies from `low` up to `high` of a `cut`."""

    device: int
    first: tuple[int, ...]
    size: tuple[int, ...]
    local: tuple[int, ...]
    touched: Touched
    written: Touched
    cut: Cut
    low: int
    high: int

    def inner(
        self, is_there: Callable[[Spread, int, int], bool], first: Borders = BORDERS[0]
    ) -> tuple[Part, list[Part], Borders] | None:
        """Most of it, of which all rows that it touches are there, the rest at its ends, and how many units those are:
        `first`, if these do. None if there is no such part that is worth a launch of its own."""
        unit = self.cut.unit
        for units in (first, *BORDERS):
            low, high = self.low + units[0] * unit, -(-self.high // unit) * unit - units[1] * unit
            high = self.high if units[1] == 0 else high
            if high <= low or math.prod(self.size) * (high - low) < FEW * (self.high - self.low):
                continue
            middle = self.cut.part(self.device, low, high)
            if all(is_there(array, *rows) for array, rows in middle.touched):
                ends = [(self.low, low), (high, self.high)]
                return middle, [self.cut.part(self.device, *end) for end in ends if end[0] < end[1]], units
        return None


def parts_of(
    space: tuple[int, ...],
    local: tuple[int, ...],
    groups: bool,
    dimension: int,
    devices: int,
    rows: RowsOf | None,
    given: Sequence[Spread],
    used: Sequence[Spread],
    changed: Sequence[Spread],
) -> list[Part]:
    """An index space of work-items, or of work-groups, in at most `devices` parts along `dimension`.

    `rows` is that of `Run.split`; without it there is one part. `given` are the arrays among the arguments, one that
    has two names twice; `used` are those read or written, `changed` those written.
    """
    if rows is None or devices == 1 or math.prod(space) * (local[0] if groups else 1) < FEW:
        devices = 1
    # What is cut: whole work-groups, of `unit` work-items or of one group each.
    unit = 1 if groups else local[dimension]
    while unit > 1 and -(-space[dimension] // unit) < devices:
        unit //= 2
    if not groups:
        local = (*local[:dimension], unit, *local[dimension + 1 :])
    units = -(-space[dimension] // unit)
    count = min(devices, units)
    cut = Cut(space, local, groups, dimension, unit, rows if count > 1 else None, given, used, changed)
    ends = [min(units * k // count * unit, space[dimension]) for k in range(count + 1)]
    return [cut.part(device, low, high) for device, (low, high) in enumerate(itertools.pairwise(ends))]


def _touched(
    rows: RowsOf | None,
    first: int,
    last: int,
    given: Sequence[Spread],
    used: Sequence[Spread],
    changed: Sequence[Spread],
) -> tuple[Touched, Touched]:
    if rows is None:
        return tuple((s, (0, s.places.rows)) for s in used), tuple((s, (0, s.places.rows)) for s in changed)
    touched: dict[Spread, tuple[int, int]] = {}
    written: dict[Spread, tuple[int, int]] = {}
    named = []
    for array, both, *changes in rows(first, last):
        assert isinstance(array, Spread)
        named.append(array)
        _widen(touched, array, both)
        if changes:
            _widen(written, array, changes[0])
    for array in used:
        if array not in touched or given.count(array) > named.count(array):  # a name that `rows` says nothing of
            touched[array] = (0, array.places.rows)
    assert all(array in written for array in changed), "a written array without rows"
    return tuple(touched.items()), tuple(written.items())


def _widen(table: dict[Spread, tuple[int, int]], array: Spread, rows: object) -> None:
    """Enter rows (low, high), both included, as [low, high + 1)."""
    assert isinstance(rows, tuple)
    low, high = max(int(rows[0]), 0), min(int(rows[1]) + 1, array.places.rows)
    if low < high:
        known = table.get(array, (low, high))
        table[array] = (min(low, known[0]), max(high, known[1]))
    else:
        table.setdefault(array, (0, 0))
