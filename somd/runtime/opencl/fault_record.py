"""Faults noted by kernels. A record begins with the lowest iteration that failed and the number of rows in use (ints),
and the turn of the launch that noted them (a long); then come the rows: iteration, site, and the index or the values of
a `raise` (longs). Launches of later turns do nothing.

It is read when the master needs something from the device anyhow, at the end of the call, and every few thousand
launches, so that a loop of the master's ends soon whatever its range; not after each launch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from somd.language.raising import FAULT_ROWS, as_single, fault_row
from somd.runtime.faults import index_error
from somd.runtime.opencl.context import Context
from somd.runtime.opencl.failures import device_errors
from somd.runtime.opencl.session import Run

#: the head of a record in which nothing has been noted
_HEAD = np.array([np.iinfo(np.int32).max, np.iinfo(np.int64).max], np.int64)
_WORD = 8

#: launches between two looks at the record where nothing else needs the device
_LAUNCHES = 2048

Site = tuple[Any, ...]
#: the turn in which something was noted, and the row of the lowest iteration
First = tuple[int, list[int]]


class Record:
    """A record on a device, with rows of so many words."""

    def __init__(self, context: Context, row: int) -> None:
        self.context = context
        self.row = row
        self.buffer = context.allocate(_WORD * (len(_HEAD) + row * FAULT_ROWS))
        with context.lock, device_errors("setting up the record of faults", str(context.device)):
            for place, word in enumerate(_HEAD):
                context.cl.enqueue_fill_buffer(context.queue, self.buffer, word, place * _WORD, _WORD)

    def first(self) -> First | None:
        """What was noted first, if anything."""
        head = self._read(0, len(_HEAD))
        lowest, count = head[:1].view(np.int32).tolist()
        if lowest == np.iinfo(np.int32).max:
            return None
        rows = self._read(len(_HEAD), self.row * min(count, FAULT_ROWS)).reshape(-1, self.row)
        return int(head[1]), rows[int(rows[:, 0].argmin())].tolist()

    def _read(self, start: int, count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        words = np.empty(count, np.int64)
        with self.context.lock, device_errors("reading the record of faults", str(self.context.device)):
            copy, queue = self.context.cl.enqueue_copy, self.context.queue
            copy(queue, words, self.buffer, src_offset=start * _WORD, is_blocking=True)
        return words


class Faults:
    """The record of a call, on its devices from the beginning: `sides`, one a device."""

    def __init__(self, run: Run, sites: Mapping[int, Site]) -> None:
        self.sites = sites
        self.raises = run.raises
        self.sides = tuple(Record(context, fault_row(self.raises.slots)) for context in run.contexts)
        self._everywhere = run.lowest
        self.buffer = self.sides[0].buffer
        self.unread = False
        #: whether a kernel has failed
        self.failed = False
        self._turn = 0

    def turn(self) -> int:
        """The number of the next launch that may note a fault.

        Raises:
            BaseException: what one of many launches before it noted.
        """
        if self._turn % _LAUNCHES == _LAUNCHES - 1 and (error := self.found()) is not None:
            raise error
        self.unread = True
        self._turn += 1
        return self._turn

    def found(self) -> BaseException | None:
        """The error of the first fault that was noted; waits for the kernels that may have noted one."""
        if not self.unread:
            return None
        found = self._everywhere([first for side in self.sides if (first := side.first()) is not None])
        self.unread = False
        if not found:
            return None
        self.failed = True
        # The first launch that noted one, and its lowest iteration.
        _, (_, site, *values) = min(found, key=lambda each: (each[0], each[1][0]))
        if site in self.raises.rows:
            return self.raises.from_words(site, values, as_single)
        return index_error(self.sites[site], values[0])


class Ignored(Faults):
    """A record that nobody reads, and that ends no launch."""

    def turn(self) -> int:
        return 1


def ignored_faults(run: Run, sites: Mapping[int, Site]) -> Faults:
    """A record for kernels whose faults do not count."""
    return Ignored(run, sites)


def new_faults(run: Run, sites: Mapping[int, Site]) -> Faults:
    """An empty record for the kernels of a call; the call looks at it by itself."""
    run.faults = Faults(run, sites)
    return run.faults


def index_of(index: Any, length: int, site: Site) -> Any:
    """`index` of the master's, if it lies in an axis of `length` elements; negative ones count from the end.

    Raises:
        IndexError: it does not.
    """
    if not -length <= index < length:
        raise index_error(site, int(index))
    return index
