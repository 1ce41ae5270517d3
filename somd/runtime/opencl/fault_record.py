"""Faults noted by kernels. A record is six longs: a lock, then site, index and length of the fault of the lowest
failing iteration, that iteration, and the turn of its launch. Launches of later turns do nothing.

It is read when the master needs something from the device anyhow, and at the end of the call; not after each launch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from somd.runtime.faults import index_error
from somd.runtime.opencl.context import Context
from somd.runtime.opencl.failures import device_errors
from somd.runtime.opencl.session import Run

_NONE = np.iinfo(np.int64).max
_ZEROS, _SIZE = 32, 48

Site = tuple[str, int, str, int, str]


class Record:
    """A record on a device."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.buffer = context.allocate(_SIZE)
        with context.lock, device_errors("setting up the record of faults", str(context.device)):
            fill, queue = context.cl.enqueue_fill_buffer, context.queue
            fill(queue, self.buffer, np.int64(0), 0, _ZEROS)
            fill(queue, self.buffer, np.int64(_NONE), _ZEROS, _SIZE - _ZEROS)

    def read(self) -> tuple[int, ...]:
        """Its six numbers."""
        record = np.empty(_SIZE // 8, np.int64)
        with self.context.lock, device_errors("reading the record of faults", str(self.context.device)):
            self.context.cl.enqueue_copy(self.context.queue, record, self.buffer, is_blocking=True)
        return tuple(int(value) for value in record)


class Faults:
    """The record of a call, on its devices from the beginning: `sides`, one a device."""

    def __init__(self, contexts: Sequence[Context], sites: Mapping[int, Site]) -> None:
        self.sites = sites
        self.sides = tuple(Record(context) for context in contexts)
        self.buffer = self.sides[0].buffer
        self.unread = False
        self._turn = 0

    def turn(self) -> int:
        """The number of the next launch that may note a fault."""
        self.unread = True
        self._turn += 1
        return self._turn

    def found(self) -> IndexError | ValueError | None:
        """The error of the first fault that was noted; waits for the kernels that may have noted one."""
        if not self.unread:
            return None
        found = [side.read() for side in self.sides]
        self.unread = False
        # The first launch that noted one, and its lowest iteration.
        _, site, index, _, iteration, _ = min(found, key=lambda record: (record[5], record[4]))
        return None if iteration == _NONE else index_error(self.sites[site], index)


def new_faults(run: Run, sites: Mapping[int, Site]) -> Faults:
    """An empty record for the kernels of a call; the call looks at it by itself."""
    run.faults = Faults(run.contexts, sites)
    return run.faults


def index_of(index: Any, length: int, site: Site) -> Any:
    """`index` of the master's, if it lies in an axis of `length` elements; negative ones count from the end.

    Raises:
        IndexError: it does not.
    """
    if not -length <= index < length:
        raise index_error(site, int(index))
    return index
