"""Group: several devices of one driver in one context, a queue and a memory pool each, and copies between them.

A copy between two devices goes through pinned memory of the host: NVIDIA's driver moves whole buffers from device to
device when two of them touch one, and a row through such memory costs next to nothing beside a sweep.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from somd.runtime.opencl import drivers, fork
from somd.runtime.opencl.context import Context, context_around
from somd.runtime.opencl.devices import Device
from somd.runtime.opencl.failures import NoDevice, device_errors
from somd.runtime.opencl.pinned import Pinned

if TYPE_CHECKING:
    from somd.runtime.opencl.arrays import Managed

#: pieces of pinned memory for copies under way, and the bytes in the largest
PIECES, LARGEST = 8, 1 << 25
SMALLEST = 1 << 16


class Group:
    """Devices that share the work of a call, the first of them the one that does what is not shared."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self.cl = drivers.pyopencl()
        with device_errors("making a context", ", ".join(map(str, devices))):
            self.handle = self.cl.Context([device.handle for device in devices])
            lock = threading.RLock()
            self.contexts: tuple[Context, ...] = tuple(
                context_around(device, self.cl, self.cl.CommandQueue(self.handle, device.handle), lock, alone=False)
                for device in devices
            )
        self._pieces: dict[int, list[Pinned]] = {}
        self._turn = 0

    @property
    def lead(self) -> Context:
        """The first device's."""
        return self.contexts[0]

    def __len__(self) -> int:
        return len(self.contexts)

    def copy(self, source: Managed, target: Managed, first: int, size: int) -> None:
        """Bytes from `first` on, at the same place in both: after what is in the queue of `source`, before what comes
        in that of `target`. Returns at once. The caller holds the lock of the group's contexts."""
        for start in range(first, first + size, LARGEST):
            self._copy(source, target, start, min(LARGEST, first + size - start))

    def _copy(self, source: Managed, target: Managed, first: int, size: int) -> None:
        copy, piece = self.cl.enqueue_copy, self._piece(size)
        with device_errors("a copy between devices", str(source.context.device)):
            # The piece is free when its last copy has been taken out of it.
            before = [piece.used[-1]] if piece.used else None
            data, queue = piece.bytes[:size], source.context.queue
            out = copy(queue, data, source.buffer, src_offset=first, is_blocking=False, wait_for=before)
            queue.flush()
            queue = target.context.queue
            into = copy(queue, target.buffer, data, dst_offset=first, is_blocking=False, wait_for=[out])
            queue.flush()
            piece.used = (out, into)

    def _piece(self, size: int) -> Pinned:
        room = max(SMALLEST, 1 << (size - 1).bit_length())
        pieces = self._pieces.setdefault(room, [])
        if len(pieces) < PIECES:
            with device_errors("allocating pinned memory", str(self.lead.device)):
                pieces.append(Pinned(self.cl, self.lead.queue, room))
            return pieces[-1]
        self._turn += 1
        return pieces[self._turn % PIECES]

    def flush(self) -> None:
        """Sees to it that all devices start on what is enqueued."""
        for context in self.contexts:
            with device_errors("launching", str(context.device)):
                context.queue.flush()


_lock = threading.Lock()
_groups: dict[tuple[Device, ...], Group] = {}


def group_for(devices: tuple[Device, ...]) -> Group:
    """The group of `devices`, the same one each time.

    Raises:
        NoDevice: they are not of one driver.
        SomdRuntimeError: the driver fails, or OpenCL was in use before this process was forked.
    """
    fork.check()
    platforms = {(d.info.platform, d.info.platform_version) for d in devices}
    if len(platforms) > 1:
        named = ", ".join(map(str, devices))
        raise NoDevice(f"devices of several drivers cannot share one call: {named}")
    with _lock:
        if devices not in _groups:
            _groups[devices] = Group(devices)
        return _groups[devices]


def forget(group: Group) -> None:
    """Let go of a group that works no longer: the next call makes a new one."""
    with _lock:
        for key in [key for key, known in _groups.items() if known is group]:
            del _groups[key]
