"""The parts of a launch, one a device: where each begins, and what it touches of which array."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from somd.runtime.opencl.several.arrays import Spread

#: work-items that are not worth a second device
FEW = 4096
#: arrays with ranges of their rows
Touched = tuple[tuple[Spread, tuple[int, int]], ...]


@dataclass(frozen=True)
class Part:
    """Work-items `first` to `first` + `size` for a device, in groups of `local`; rows [low, high) of arrays."""

    device: int
    first: tuple[int, ...]
    size: tuple[int, ...]
    local: tuple[int, ...]
    touched: Touched
    written: Touched


def parts_of(
    space: tuple[int, ...],
    local: tuple[int, ...],
    groups: bool,
    dimension: int,
    devices: int,
    rows: Callable[[int, int], tuple[tuple[object, ...], ...]] | None,
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
    parts = []
    for device in range(count):
        low, high = (units * k // count * unit for k in (device, device + 1))
        high = min(high, space[dimension])
        first, size = [0] * len(space), [-(-n // m) * m for n, m in zip(space, local, strict=True)]
        if groups:
            first[0], size[0] = low * local[0], (high - low) * local[0]
        else:
            first[dimension], size[dimension] = low, -(-(high - low) // unit) * unit
        touched, written = _touched(rows if count > 1 else None, low, high - 1, given, used, changed)
        parts.append(Part(device, tuple(first), tuple(size), local, touched, written))
    return parts


def _touched(
    rows: Callable[[int, int], tuple[tuple[object, ...], ...]] | None,
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
    whole = Counter(given)  # by each name that `rows` says nothing of
    for array, both, *changes in rows(first, last):
        assert isinstance(array, Spread)
        whole[array] -= 1
        _widen(touched, array, both)
        if changes:
            _widen(written, array, changes[0])
    for array in used:
        if array not in touched or whole[array] > 0:
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
