"""One context, in-order queue and memory pool per device, kept as long as the process.

In: a Device, or the queue of a device array that the caller made. Out: a Context, the same one each time. Several
Python threads may use it; what sets arguments and launches holds its lock, since kernel objects are not thread-safe.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from somd.runtime.opencl import drivers, fork, pinned
from somd.runtime.opencl.devices import Device, describe, problem
from somd.runtime.opencl.failures import NoDevice, device_errors
from somd.runtime.opencl.pinned import Pieces
from somd.runtime.opencl.side_queue import SideQueue

#: launches that may wait in a queue: each takes some kilobytes, and none can be taken back where a call is interrupted
MOST_WAITING = 1024


@dataclass(eq=False)
class Context:
    """What a device needs to work. `programs` belongs to `programs.py`; `alone` is false for a device of a group."""

    device: Device
    cl: Any
    handle: Any
    queue: Any
    pool: Any
    lock: threading.RLock = field(default_factory=threading.RLock)
    programs: dict[Any, Any] = field(default_factory=dict)
    alone: bool = True
    #: whether it works no longer
    forgotten: bool = False
    _waiting: int = 0
    _pieces: Pieces | None = None
    _side_queue: SideQueue | None = None

    def allocate(self, nbytes: int) -> Any:
        """A buffer of at least `nbytes` bytes, of undefined content; it returns to the pool when nobody holds it."""
        with self.lock:
            try:
                if self.device.info.kind == "simulator":
                    # Of exactly this size, so that it notices what is beyond.
                    return self.cl.Buffer(self.handle, self.cl.mem_flags.READ_WRITE, max(nbytes, 1))
                return self.pool.allocate(max(nbytes, 16))
            except Exception:
                with device_errors(f"allocating {nbytes} bytes", str(self.device)):
                    raise

    def finish(self) -> None:
        """Waits for all that was enqueued."""
        # Locked: Oclgrind dies when two threads wait. The queue is in order, so the others would have to wait anyhow.
        with self.lock, device_errors("waiting", str(self.device)):
            self.queue.finish()
            self._waiting = 0

    def flush(self) -> None:
        """Has the device begin with what was enqueued, and does not wait for it."""
        with self.lock:
            try:
                self.queue.flush()
            except Exception:
                with device_errors("handing on what was enqueued", str(self.device)):
                    raise

    def launched(self) -> None:
        """Notes a launch, and waits where many have been enqueued; the caller holds the lock."""
        self._waiting += 1
        if self._waiting >= MOST_WAITING:
            self.finish()

    def pieces(self, nbytes: int) -> Pieces | None:
        """What a copy of so many bytes between host and device goes through; None where the driver does it as well."""
        if nbytes < pinned.LARGE or self.device.info.kind not in pinned.APART:
            return None
        with self.lock:
            if self._pieces is None:
                with device_errors("allocating pinned memory", str(self.device)):
                    self._pieces = Pieces(self.cl, self.queue)
        return self._pieces

    def side_queue(self) -> SideQueue:
        """A second queue, for copies beside what is computed; the caller holds the lock."""
        if self._side_queue is None:
            with device_errors("making a queue", str(self.device)):
                self._side_queue = SideQueue(self.cl, self.queue)
        return self._side_queue

    def trim(self) -> None:
        """Gives pooled memory that is not in use back to the device when it is more than a quarter of it."""
        if 4 * (self.pool.managed_bytes - self.pool.active_bytes) > self.device.info.global_memory:
            self.pool.free_held()


_lock = threading.Lock()
_of_device: dict[Device, Context] = {}
_of_queue: dict[Any, Context] = {}


def context_for(device: Device) -> Context:
    """The context of `device`.

    Raises:
        SomdRuntimeError: the driver fails, or OpenCL was in use before this process was forked.
    """
    fork.check()
    context = _of_device.get(device)
    if context is not None:
        return context
    with _lock:
        if device not in _of_device:
            cl = drivers.pyopencl()
            with device_errors("making a context", str(device)):
                handle = cl.Context([device.handle])
                _of_device[device] = context_around(device, cl, cl.CommandQueue(handle))
        return _of_device[device]


def context_of(queue: Any) -> Context:
    """The context around a CommandQueue of the caller's: device arrays of his stay where they are.

    Raises:
        NoDevice: its device gives wrong answers, or cannot build kernels.
        SomdRuntimeError: OpenCL was in use before this process was forked.
    """
    fork.check()
    with _lock:
        for context in (*_of_device.values(), *_of_queue.values()):
            if context.queue == queue:
                return context
        cl = drivers.pyopencl()
        fork.mark_used()
        device = Device(describe(cl, queue.device), -1, queue.device)
        reason = problem(device.info)
        if reason is not None:
            raise NoDevice(f"{device} cannot be used: {reason}")
        return _of_queue.setdefault(queue, context_around(device, cl, queue))


def forget(context: Context) -> None:
    """Let go of a context that works no longer: the next call makes a new one."""
    context.forgotten = True
    with _lock:
        for table in (_of_device, _of_queue):
            for key in [key for key, known in table.items() if known is context]:
                del table[key]


def context_around(
    device: Device, cl: Any, queue: Any, lock: threading.RLock | None = None, alone: bool = True
) -> Context:
    """A context with a new pool around a queue; one of a group shares its `lock` with the others."""
    import pyopencl.tools as tools

    pool = tools.MemoryPool(tools.ImmediateAllocator(queue))
    for value in (queue.context, queue, pool):
        fork.keep_in_child(value)
    return Context(device, cl, queue.context, queue, pool, lock or threading.RLock(), alone=alone)
