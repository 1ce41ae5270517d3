"""Crossing: the rows that leave a device and arrive there for one launch, while it computes what needs none of them.

In: rows that others want of this rank, and rows that have come. Out: copies by the device's side queue. They begin when
all is done that was enqueued before the first of them; a kernel launched meanwhile must neither write what leaves nor
touch what arrives. What is launched behind waits for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from somd.runtime.opencl import pinned
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.context import Context
from somd.runtime.opencl.failures import device_errors
from somd.runtime.opencl.pinned import Pinned
from somd.runtime.opencl.side_queue import hold_up, mark
from somd.runtime.opencl.transfers import note_download, note_upload
from somd.runtime.recording import noted

Array = np.ndarray[Any, Any]


class Crossing:
    """The rows of one launch of one call; ranks that are threads have one each."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._open = False
        #: the event behind what was enqueued before rows began to travel
        self._before: Any = None
        self._leaving: list[tuple[Pinned, Array]] = []
        #: the event of the last thing in the side queue that others must wait for
        self._last: Any = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """A block in which rows may travel by the side queue. What is launched behind it finds them."""
        self._open = True
        try:
            yield
        except BaseException:
            if self._before is not None:  # nobody else gets memory into which something may be copied still
                with self.context.lock, suppress(self.context.cl.Error):
                    self.context.side_queue().queue.finish()
            raise
        else:
            with self.context.lock, device_errors("waiting for rows", str(self.context.device)):
                if self._last is not None:
                    hold_up(self.context.cl, self.context.queue, [self._last])
        finally:
            self._open, self._before, self._last = False, None, None
            self._leaving.clear()

    def takes(self, nbytes: int) -> bool:
        """Whether rows of so many bytes travel this way now; larger ones go by several threads."""
        return self._open and nbytes < pinned.LARGE

    def begin(self) -> None:
        """What is launched from here on, rows need not wait for."""
        if self._before is None:
            with self.context.lock, device_errors("marking a place", str(self.context.device)):
                self._before = mark(self.context.cl, self.context.queue)

    def leave(self, side: Managed, offset: int, target: Array) -> None:
        """Rows come to the host, which has them when they have `left`."""
        self.begin()
        with self.context.lock, device_errors("a download", str(self.context.device)):
            piece = self.context.side_queue().down(side.buffer, offset, target.nbytes, self._before)
        self._leaving.append((piece, target))
        note_download(target.nbytes)

    def takes_from(self, array: Array) -> bool:
        """Whether rows of an array are on their way to the host."""
        return any(np.may_share_memory(target, array) for _, target in self._leaving)

    def left(self) -> None:
        """Waits until the host has all rows that leave."""
        for piece, target in self._leaving:
            with noted("transfer", "to the host", target.nbytes), device_errors("a download", str(self.context.device)):
                piece.wait()
            target[...] = piece.bytes[: target.nbytes].view(target.dtype).reshape(target.shape)
            with self.context.lock:
                self.context.side_queue().give_back(piece)
        self._leaving.clear()

    def arrive(self, side: Managed, offset: int, source: Array) -> None:
        """Rows of the host, in C order, come to the device; it may change them at once."""
        self.begin()
        with (
            noted("transfer", "to the device", source.nbytes),
            self.context.lock,
            device_errors("an upload", str(self.context.device)),
        ):
            data = source.reshape(-1).view(np.uint8)
            self._last = self.context.side_queue().up(side.buffer, offset, data, self._before)
        note_upload(source.nbytes)

    def launch(self, launch: Callable[..., Any]) -> None:
        """Launches a kernel behind the rows that have arrived; the caller holds the context's lock."""
        self.begin()
        queue = self.context.side_queue().queue
        self._last = launch(queue=queue, behind=self._before)
        queue.flush()
