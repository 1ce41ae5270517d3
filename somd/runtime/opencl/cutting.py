"""Partitions for kernels that run parts in order: made by the partitioner on the host, passed as two arrays.

Keys of device arrays are cut where they are (`device_cutting`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from somd.language.partitioners import Block, BlockBlock, ByKey, Chunked, Cyclic
from somd.runtime import cutting
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.device_array import is_device_array
from somd.runtime.opencl.device_cutting import ends_on_device
from somd.runtime.opencl.device_runs import runs_on_device
from somd.runtime.opencl.session import Run

#: owners for each compute unit: GPUs hide memory latency behind many, CPUs only balance with them
OWNERS_OF_A_UNIT = {"gpu": 512}
OWNERS_ELSEWHERE = 4
#: parts of keys for each compute unit of a GPU: the fewer keys in a part, the nearer its neighbours' elements
KEYS_OF_A_UNIT = {"gpu": 16384}
#: partitioners that do not look at elements
BY_LENGTH = (Block, BlockBlock, Chunked, Cyclic)
#: parts of a group that make their terms together, devices that gain by it, and lengths that 32 bits hold with room
RUNS, KINDS_WITH_RUNS, _NARROW = 256, ("gpu", "simulator"), (1 << 31) - (1 << 16)


def cut(run: Run, position: int) -> tuple[Managed, Managed]:
    """Ranges, shape (2 * m,), and owners, shape (owners + 1,), of the argument at `position`, by its own partitioner.

    Raises:
        SomdRuntimeError, ValueError: as `somd.runtime.cutting.cut`.
    """
    return _managed(run, *cutting.cut(run.partitioners[position], _array(run, position), _parts(run)))


@dataclass(frozen=True)
class Runs:
    """Parts of one key each, by `groups` of `lanes` of them: where they end, 32 bits, shape (count + 1,), and their
    keys, shape (count,). Without `groups` the device has no use for them, or the parts are not of that kind."""

    groups: int = 0
    lanes: int = RUNS
    count: int = 0
    ends: Any = None
    keys: Any = None


def ends_of(run: Run, position: int, runs: Runs | None = None) -> Managed:
    """Where the parts of the argument at `position` end, shape (parts + 1,), from 0 on, by its own `ByKey`: as many
    parts as keys allow and the device can use. Where `runs` are used instead, nothing.

    Raises:
        ValueError: no cut keeps every key in one part.
    """
    if runs is not None and runs.groups:
        return run.empty(0, np.int64)
    info, partitioner = run.context.device.info, run.partitioners[position]
    parts = info.compute_units * KEYS_OF_A_UNIT.get(info.kind, OWNERS_ELSEWHERE)
    given = run.given[position]
    if is_device_array(given) and type(partitioner) is ByKey:
        ends = ends_on_device(run, run.array(given), parts)
        if ends is not None:
            return ends
    ranges, _ = cutting.cut(partitioner, _array(run, position), parts)
    return Managed.of(run.context, np.append(ranges[:, 0], ranges[-1:, 1]))


def runs_of(run: Run, position: int) -> Runs:
    """The runs of equal keys in the argument at `position`, a part each.

    Raises:
        ValueError: no cut keeps every key in one part.
    """
    partitioner = run.partitioners[position]
    if run.context.device.info.kind not in KINDS_WITH_RUNS or type(partitioner) is not ByKey:
        return Runs()
    managed = run.array(run.given[position])
    if type(managed) is not Managed or not 0 < managed.shape[0] < _NARROW:
        return Runs()
    found = _runs_on_host(run, managed) if managed.host_valid else runs_on_device(run, managed)
    if found is None:
        return Runs()
    count = found[1].shape[0]
    return Runs(-(-count // RUNS), RUNS, count, *found)


def _runs_on_host(run: Run, given: Managed) -> tuple[Managed, Managed] | None:
    """Where the runs of keys in ascending order end, and their keys."""
    keys = given.to_host()
    if keys.ndim != 1 or keys.dtype.kind not in "iu" or keys[0] < 0 or keys[-1] >= _NARROW:
        return None
    if np.any(keys[1:] < keys[:-1]):
        return None
    starts = np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1])
    stops = np.append(starts, len(keys)).astype(np.int32)
    return Managed.of(run.context, stops), Managed.of(run.context, keys[starts].astype(np.int32))


def _array(run: Run, position: int) -> np.ndarray[Any, Any]:
    """The argument for its partitioner: where that looks at the lengths alone, something of that shape."""
    given = run.given[position]
    if not is_device_array(given):
        found: np.ndarray[Any, Any] = given
        return found
    managed = run.array(given)
    if type(run.partitioners[position]) in BY_LENGTH:
        return np.broadcast_to(np.zeros((), managed.dtype), managed.shape)
    return managed.to_host()


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
    all_indices = np.iinfo(np.int64)
    ranges, owners = np.array([all_indices.min, all_indices.max], np.int64), np.array([0, 1], np.int64)
    return Managed.of(run.context, ranges), Managed.of(run.context, owners)
