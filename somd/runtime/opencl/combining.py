"""Private copies of arrays on the device, which a fence combines; and the shares of groups that update integers
atomically instead, where the device is better off with that.

The number of copies follows from the trips, the updates and the size of the arrays alone, so that floating-point sums
have one association: that of the multicore target. One copy is the array itself, updated in place and in order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.local_room import KEPT_BACK, Room, room_of
from somd.runtime.opencl.session import Run

#: rows of copies are so many elements long, so that CPU devices share no cache line between work-items
ROW = 64
#: by the kind of device, groups for each compute unit that update atomically, and work-items in one; CPUs are faster
#: with copies, of which a core has few
ATOMIC = {"gpu": (4, 512), "simulator": (3, 32)}
#: updates of a work-item at least, slices of an array at most, and what 32 bits can count, updates and elements
SOME_UPDATES, MOST_SLICES, COUNTABLE = 8, 8, 1 << 31


def copies_of(run: Run, array: Managed, count: int, identity: Any) -> Managed:
    """`count` copies of `array`, a row each, every element `identity`; for one copy, the array itself."""
    if count == 1:
        return array
    row = -(-math.prod(array.shape) // ROW) * ROW
    return run.full((count, row), identity, array.dtype)


def combine_copies(run: Run, kernel: str, array: Managed, copies: Managed) -> None:
    """Combine the rows of `copies` with `array` by the kernel of that name."""
    if copies is array:
        return
    count, row = copies.shape
    size = math.prod(array.shape)
    if count:
        run.launch(kernel, (size,), (array, copies, count, row, size), (), (array, copies))


@dataclass(frozen=True)
class Shares:
    """Groups of `lanes` work-items that update atomically: in local memory, each one of `slices` of the arrays, which
    have `sizes` elements and slices of `widths`; without `slices` the arrays themselves; without `groups` not at all.
    `across` work-items share out a row of a nest of two dimensions."""

    groups: int = 0
    lanes: int = 0
    slices: int = 0
    across: int = 1
    sizes: tuple[int, ...] = ()
    widths: tuple[int, ...] = ()
    own: tuple[Room, ...] = ()


def shares_of(
    run: Run,
    kernel: str,
    updates: int,
    sizes: tuple[int, ...],
    words: tuple[int, ...],
    weight: int,
    inner: int | None = None,
) -> Shares:
    """Who updates what of arrays of `sizes` elements, each of so many `words` of local memory: `updates` trips in all,
    rows of `inner`. `weight` is what a trip adds at most where elements are counted in fewer bits, else 0."""
    info = run.context.device.info
    known = ATOMIC.get(info.kind)
    if known is None or updates <= 0 or min(sizes) <= 0 or max(sizes) >= COUNTABLE:
        return Shares()
    of_a_unit, most = known
    lanes = run.group_of(kernel, most)
    groups = max(1, min(info.compute_units * of_a_unit, -(-updates // (lanes * SOME_UPDATES))))
    across = lanes if inner is None else min(lanes, 1 << max(inner - 1, 0).bit_length())
    room = (info.local_memory - KEPT_BACK) // 4 // len(sizes)
    widths = tuple(min(size, room // each) for size, each in zip(sizes, words, strict=True))
    slices = max(-(-size // max(width, 1)) for size, width in zip(sizes, widths, strict=True))
    if min(widths) < 1 or slices > MOST_SLICES or updates < sum(sizes) or weight * updates >= COUNTABLE:
        return Shares(groups, lanes, 0, across, sizes)
    own = tuple(room_of(run.context.cl, 4 * width * each) for width, each in zip(widths, words, strict=True))
    return Shares(max(1, groups // slices) * slices, lanes, slices, across, sizes, widths, own)
