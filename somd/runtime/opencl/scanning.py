"""The values of a scalar before each block of a scan, from what kernels found that blocks make of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from somd.language.scanning import SCANS, ScanOperator
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.session import Run

Values = np.ndarray[Any, Any]


def scanned(run: Run, symbol: str, value: Any, *totals: Managed) -> Managed:
    """The values before each block, shape (blocks,), by an operator of `SCANS`; `value` is that before the first one,
    and `totals`, of that shape, are what each block makes of the operator's points."""
    known = SCANS[symbol]
    made = [np.asarray(each.to_host()) for each in totals[: len(known.points)]]
    with np.errstate(all="ignore"):
        return Managed.of(run.context, carries(known, value, made))


def carries(known: ScanOperator, value: Any, made: list[Values]) -> Values:
    """The values before each block. Blocks are taken in rows, whose functions are composed side by side: what two
    blocks make of the points is what the second one makes of what the first one gives."""
    count, dtype = len(made[0]), made[0].dtype
    width = math.isqrt(count) + 1
    points = [np.asarray(point(dtype)).astype(dtype) for point in known.points]
    rows = -(-count // width)
    grid: list[Values] = [np.full((rows, width), point) for point in points]
    for each, of_blocks in zip(grid, made, strict=True):
        each.reshape(-1)[:count] = of_blocks
    running: list[Values] = [np.full(rows, point) for point in points]
    before: list[Values] = [np.empty((rows, width), dtype) for _ in points]
    for column in range(width):
        of_column = [each[:, column] for each in grid]
        for each, so_far in zip(before, running, strict=True):
            each[:, column] = so_far
        running = [known.of_arrays(so_far, *of_column).astype(dtype) for so_far in running]
    starts = np.empty(rows, dtype)
    now: Values = np.full(1, value).astype(dtype)
    for row in range(rows):
        starts[row] = now[0]
        now = known.of_arrays(now, *(each[row : row + 1] for each in running)).astype(dtype)
    found: Values = known.of_arrays(starts[:, None], *before).astype(dtype)
    return np.ascontiguousarray(found.reshape(-1)[:count])


def behind(partials: Managed) -> Any:
    """What the last block leaves."""
    return partials.to_host()[-1]
