"""Managed: an array with a host side and a device side, each of which may be stale.

In: a NumPy array (any layout, read-only, empty, 0-d), or a shape and a dtype, or a buffer that is on the device
already. Out: a buffer whose content is that array in C order and native byte order; NumPy bools are bytes of 0 and 1.
A Managed copies what is asked for when it is stale, nothing else; what needs to be copied when is the caller's plan.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from somd.runtime.opencl import elements
from somd.runtime.opencl.context import Context
from somd.runtime.opencl.failures import device_errors
from somd.runtime.opencl.transfers import note_download, note_upload
from somd.runtime.recording import noted

_KINDS = "biufc"
_POINTER = struct.calcsize("P")


class Managed:
    """A host array paired with a device buffer. `host` is None until the host side of a device array is asked for."""

    __slots__ = (
        "_buffer",
        "_passed",
        "_pattern",
        "_singles",
        "context",
        "device_valid",
        "dtype",
        "host",
        "host_valid",
        "nbytes",
        "overlaps",
        "settle",
        "shape",
        "writeable",
    )

    def __init__(
        self,
        context: Context,
        shape: tuple[int, ...],
        dtype: Any,
        host: np.ndarray[Any, Any] | None = None,
        buffer: Any = None,
    ) -> None:
        self.context = context
        self.shape = tuple(map(int, shape))
        given: np.dtype[Any] = np.dtype(dtype)
        self.dtype = given if given.isnative else given.newbyteorder("=")
        if self.dtype.kind not in _KINDS:
            raise TypeError(f"arrays of {self.dtype} have no place on an OpenCL device")
        self.nbytes = math.prod(self.shape) * self.dtype.itemsize
        self.host = host
        self._buffer = buffer
        #: what a kernel is passed for the buffer
        self._passed: bytes | None = None
        #: what every element is to be set to before the buffer is used
        self._pattern: Any = None
        #: elements that were had alone since the last whole transfer
        self._singles = 0
        self.host_valid = host is not None
        self.device_valid = buffer is not None
        self.overlaps = False
        #: False for a read-only host array
        self.writeable = host is None or bool(host.flags.writeable)
        #: called before what kernels wrote is read: it raises what went wrong in them
        self.settle: Callable[[], None] | None = None

    @classmethod
    def of(cls, context: Context, array: np.ndarray[Any, Any]) -> Managed:
        """`array` as it is, on the host; nothing is copied yet."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"a NumPy array is needed, not {type(array).__name__}")
        return cls(context, array.shape, array.dtype, np.asarray(array))

    def on(self, context: Context) -> Managed:
        """Another one on the buffer of this one, which has what counts, without a host side."""
        other = object.__new__(Managed)  # a call begins and ends with this: the long way takes as long as a launch
        other.context, other.shape, other.dtype, other.nbytes = context, self.shape, self.dtype, self.nbytes
        other.host, other._buffer, other._pattern, other._singles, other.settle = None, self.buffer, None, 0, None
        other._passed = self.passed()
        other.host_valid, other.device_valid, other.overlaps, other.writeable = False, True, False, True
        return other

    @property
    def buffer(self) -> Any:
        """The device buffer, at least one element long; of undefined content until `to_device`."""
        if self._buffer is None:
            self._buffer = self.context.allocate(self.nbytes)
        if self._pattern is not None:
            pattern, self._pattern = self._pattern, None
            self.fill(pattern)
        return self._buffer

    def passed(self) -> bytes:
        """What a kernel is passed for the buffer: the address of the driver's object, as C has it."""
        buffer = self.buffer
        if self._passed is None:
            self._passed = buffer.int_ptr.to_bytes(_POINTER, sys.byteorder)
        return self._passed

    def to_device(self) -> Any:
        """The device buffer, with the content of the host where the device's is stale."""
        buffer = self.buffer
        if not self.device_valid:
            if self.nbytes and self.host is not None and self.host_valid:
                # A copy where the memory is not one run in C order. Not ascontiguousarray: it has no 0-d arrays.
                self.upload(np.asarray(self.host, dtype=self.dtype, order="C"))
                note_upload(self.nbytes)
            self.device_valid = True
        return buffer

    def upload(self, source: np.ndarray[Any, Any], offset: int = 0) -> None:
        """Copies an array of this type, in C order, to the buffer from byte `offset` on."""
        queue, pieces = self.context.queue, self.context.pieces(source.nbytes)
        with (
            noted("transfer", "to the device", source.nbytes),
            self.context.lock,
            device_errors("an upload", str(self.context.device)),
        ):
            if pieces is not None:
                pieces.upload(queue, self.buffer, source.reshape(-1).view(np.uint8), offset)
            else:
                self.context.cl.enqueue_copy(queue, self.buffer, source, dst_offset=offset, is_blocking=True)

    def download(self, target: np.ndarray[Any, Any], offset: int = 0) -> None:
        """Copies the buffer from byte `offset` on to an array of any layout."""
        direct = target.flags.c_contiguous and target.dtype == self.dtype and target.dtype.isnative
        given = target if direct else np.empty(target.shape, self.dtype)
        queue, pieces = self.context.queue, self.context.pieces(given.nbytes)
        with (
            noted("transfer", "to the host", given.nbytes),
            self.context.lock,
            device_errors("a download", str(self.context.device)),
        ):
            if pieces is not None:
                pieces.download(queue, given.reshape(-1).view(np.uint8), self.buffer, offset)
            else:
                self.context.cl.enqueue_copy(queue, given, self.buffer, src_offset=offset, is_blocking=True)
        if not direct:
            target[...] = given

    def copy_to(self, other: Managed, offset: int, size: int) -> None:
        """Copies bytes to the same place in another buffer on the device."""
        with self.context.lock, device_errors("a copy", str(self.context.device)):
            copy, queue = self.context.cl.enqueue_copy, self.context.queue
            copy(queue, other.buffer, self.buffer, byte_count=size, src_offset=offset, dst_offset=offset)

    def duplicate(self) -> Managed:
        """A new array with the same content, made where the content is."""
        if not (self.device_valid and self.nbytes):
            return Managed.of(self.context, self.to_host().astype(self.dtype, order="C", copy=True))
        made = Managed(self.context, self.shape, self.dtype)
        made.settle = self.settle
        self.copy_to(made, 0, self.nbytes)
        made.written_on_device()
        return made

    def to_host(self) -> np.ndarray[Any, Any]:
        """The host array, with the content of the device where the host's is stale.

        Raises:
            ValueError: the host array is read-only and stale.
            IndexError: a kernel before has noted an access outside its array.
        """
        if self.host is None:
            self.host = np.empty(self.shape, self.dtype)
        if not self.host_valid:
            if self.settle is not None:
                self.settle()
            if not self.writeable:
                raise ValueError("assignment destination is read-only")
            written = self._buffer is not None or self._pattern is not None
            if self.nbytes and self.device_valid and written:
                self.download(self.host)
                note_download(self.nbytes)
            self.host_valid = True
            self._singles = 0
        return self.host

    def __getitem__(self, index: Any) -> Any:
        """An element, by an index or a tuple of them; from where it is, if that costs less than the array.

        Raises:
            IndexError: it lies outside; or a kernel before has noted an access outside its array.
        """
        if self.host_valid:
            return self.host[index]  # type: ignore[index]
        if self.device_valid and elements.worth(self, self._singles):
            if self.settle is not None:
                self.settle()
            self._singles += 1
            return elements.read(self, index)
        return self.to_host()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        """Sets an element; where it is, if that costs less than the array.

        Raises:
            IndexError, ValueError: as NumPy's arrays, and as `to_host`.
        """
        if self._buffer is None and not self.host_valid:
            self.to_host()
            self.device_valid = False
        if self.host_valid and not self.device_valid:
            self.host[index] = value  # type: ignore[index]
            return
        alone = self.device_valid and self.writeable and elements.worth(self, self._singles)
        self._singles += 1
        if alone and not self.host_valid:
            elements.write(self, index, value)
            self.written_on_device()
            return
        host = self.to_host()
        host[index] = value
        if alone and type(self) is Managed:  # both sides were valid, and are
            elements.write(self, index, value)
        else:
            self.written_on_host()

    def leave_host(self) -> None:
        """Brings what only the host has to where the array lives."""
        self.to_device()

    def written_on_device(self) -> None:
        """The device side holds the truth from now on."""
        self.device_valid = True
        self.host_valid = False

    def written_on_host(self) -> None:
        """The host side holds the truth from now on."""
        self.host_valid = self.host is not None
        self.device_valid = False

    def fill_later(self, value: Any) -> None:
        """Sets every element on the device when the buffer is asked for first, unless all are overwritten before."""
        self._pattern = np.full((), value, dtype=self.dtype)
        self.written_on_device()

    def overwritten(self, shape: tuple[int, ...]) -> None:
        """Elements at all indexes of `shape` are written before one is read: if it is this array's, none is filled."""
        if self._pattern is not None and shape == self.shape:
            self._pattern = None

    def fill(self, value: Any) -> None:
        """Sets every element on the device, without a transfer."""
        if self.nbytes:
            pattern = np.full((), value, dtype=self.dtype)
            with self.context.lock, device_errors("filling an array", str(self.context.device)):
                self.context.cl.enqueue_fill_buffer(self.context.queue, self.buffer, pattern, 0, self.nbytes)
        self.written_on_device()
