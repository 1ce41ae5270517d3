"""Partitions for kernels that run parts in order: made by the partitioner on the host, passed as two arrays."""

from __future__ import annotations

import numpy as np

from somd.runtime import cutting
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.session import Run

#: owners for each compute unit: GPUs hide memory latency behind many, CPUs only balance with them
OWNERS_OF_A_UNIT = {"gpu": 512}
OWNERS_ELSEWHERE = 4
_FAR = 1 << 62


def cut(run: Run, position: int) -> tuple[Managed, Managed]:
    """Ranges, shape (2 * m,), and owners, shape (owners + 1,), of the argument at `position`, by its own partitioner.

    Raises:
        SomdRuntimeError, ValueError: as `somd.runtime.cutting.cut`.
    """
    return _managed(run, *cutting.cut(run.partitioners[position], run.given[position], _parts(run)))


def evenly(run: Run, start: int, stop: int, step: int, alone: bool = False) -> tuple[Managed, Managed]:
    """Ranges and owners of a loop cut evenly; with `alone` one owner has all of it."""
    return _managed(run, *cutting.evenly(int(start), int(stop), step, 1 if alone else _parts(run)))


def with_trips(
    run: Run, ranges: Managed, owners: Managed, start: int, stop: int, step: int, alone: bool = False
) -> tuple[Managed, Managed]:
    """What of a partition has iterations of a loop; with `alone` one owner has all of it."""
    if alone:
        return evenly(run, start, stop, step, alone)
    given = ranges.to_host().reshape(-1, 2), owners.to_host()
    return _managed(run, *cutting.with_trips(*given, int(start), int(stop), step))


def _parts(run: Run) -> int:
    info = run.context.device.info
    return info.compute_units * OWNERS_OF_A_UNIT.get(info.kind, OWNERS_ELSEWHERE)


def _managed(run: Run, ranges: cutting.Ranges, owners: cutting.Ranges) -> tuple[Managed, Managed]:
    return Managed.of(run.context, ranges.reshape(-1)), Managed.of(run.context, owners)


def everything(run: Run) -> tuple[Managed, Managed]:
    """One owner of one range that holds every index."""
    ranges, owners = np.array([-_FAR, _FAR], np.int64), np.array([0, 1], np.int64)
    return Managed.of(run.context, ranges), Managed.of(run.context, owners)
