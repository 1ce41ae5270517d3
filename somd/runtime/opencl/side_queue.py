"""SideQueue: a second queue of a device, by which a few rows come and go while the first one computes.

Copies go through pinned memory, for a driver waits where memory is not. They know nothing of the first queue's work:
what they must wait for, and what must wait for them, is said by events.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from somd.runtime.opencl import fork
from somd.runtime.opencl.pinned import Bytes, Pinned

#: bytes in the smallest piece of pinned memory
SMALLEST = 1 << 16


class SideQueue:
    """The queue, and pieces of pinned memory. The caller holds the context's lock."""

    def __init__(self, cl: Any, queue: Any) -> None:
        self._cl = cl
        self.queue = cl.CommandQueue(queue.context, queue.device)
        fork.keep_in_child(self.queue)
        self._free: defaultdict[int, deque[Pinned]] = defaultdict(deque)

    def down(self, buffer: Any, offset: int, size: int, behind: Any) -> Pinned:
        """Bytes of a buffer, when an event has come: they lie in a piece that is to be waited for, and given back."""
        piece = self._taken(size)
        data = piece.bytes[:size]
        copy = self._cl.enqueue_copy
        event = copy(self.queue, data, buffer, src_offset=offset, is_blocking=False, wait_for=[behind])
        piece.used = (event,)
        self.queue.flush()
        return piece

    def up(self, buffer: Any, offset: int, source: Bytes, behind: Any) -> Any:
        """Copies bytes to a buffer, when an event has come; gives the event after which they are there. `source` may
        change at once."""
        piece = self._taken(len(source))
        data = piece.bytes[: len(source)]
        np.copyto(data, source)
        copy = self._cl.enqueue_copy
        event = copy(self.queue, buffer, data, dst_offset=offset, is_blocking=False, wait_for=[behind])
        piece.used = (event,)
        self.queue.flush()
        self.give_back(piece)
        return event

    def give_back(self, piece: Pinned) -> None:
        """A piece may be used again, when its copies are done."""
        self._free[len(piece.bytes)].append(piece)

    def _taken(self, size: int) -> Pinned:
        room = max(SMALLEST, 1 << (size - 1).bit_length())
        free = self._free[room]
        if not free:
            return Pinned(self._cl, self.queue, room)
        piece = free.popleft()
        piece.wait()
        return piece


def mark(cl: Any, queue: Any) -> Any:
    """An event that comes when all that is in a queue by now is done."""
    event = cl.enqueue_marker(queue)
    queue.flush()
    return event


def hold_up(cl: Any, queue: Any, events: Sequence[Any]) -> None:
    """What is enqueued from here on waits for events, of another queue."""
    cl.enqueue_barrier(queue, wait_for=list(events))
