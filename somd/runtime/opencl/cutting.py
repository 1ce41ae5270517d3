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
    info = run.context.device.info
    parts = info.compute_units * OWNERS_OF_A_UNIT.get(info.kind, OWNERS_ELSEWHERE)
    ranges, owners = cutting.cut(run.partitioners[position], run.given[position], parts)
    return Managed.of(run.context, ranges.reshape(-1)), Managed.of(run.context, owners)


def everything(run: Run) -> tuple[Managed, Managed]:
    """One owner of one range that holds every index."""
    ranges, owners = np.array([-_FAR, _FAR], np.int64), np.array([0, 1], np.int64)
    return Managed.of(run.context, ranges), Managed.of(run.context, owners)
