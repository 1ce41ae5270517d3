"""Private copies of arrays on the device, which a fence combines.

The number of copies follows from the trips, the updates and the size of the arrays alone, so that floating-point sums
have one association: that of the multicore target. One copy is the array itself, updated in place and in order.
"""

from __future__ import annotations

import math
from typing import Any

from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.session import Run

#: private copies at most, and elements in all of them
COPIES, COPY_ELEMENTS = 1024, 1 << 23
#: a copy costs this many updates an element; copies beyond SOME_COPIES must be this much cheaper than the updates
COST, SOME_COPIES, CHEAP = 4, 16, 16
#: rows of copies are so many elements long, so that CPU devices share no cache line between work-items
ROW = 64


def copy_blocks(count: int, updates: int, elements: int) -> tuple[int, int]:
    """(number of blocks, trips in a block) for `count` trips with so many updates of arrays that have so many
    elements, each block with copies of its own."""
    elements = max(elements, 1)
    copies = max(updates // (CHEAP * elements), min(SOME_COPIES, updates // (COST * elements)))
    copies = max(1, min(copies, COPIES, COPY_ELEMENTS // elements))
    length = max(1, -(-count // copies))
    return -(-count // length), length


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
