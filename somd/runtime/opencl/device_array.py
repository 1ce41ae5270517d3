"""Arrays that stay on a device between calls. In: an array and a device. Out: a DeviceArray, which SOMD methods take
and return without a copy. It wraps `pyopencl.array.Array`, which they take as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from somd.runtime.opencl import fork
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.context import Context, context_for, context_of
from somd.runtime.opencl.devices import Device, select, select_all

if TYPE_CHECKING:
    from somd.runtime.opencl.several.group import Group


class DeviceArray:
    """An array on an OpenCL device. `array` is the `pyopencl.array.Array`; `np.asarray(x)` copies it to the host."""

    def __init__(self, array: Any, made: Managed | None = None) -> None:
        self._array = array
        #: what a call has made, of which `array` is made when it is asked for: that takes longer than a launch
        self.made = made

    @property
    def array(self) -> Any:
        """The `pyopencl.array.Array` on the memory of this one."""
        if self._array is None and self.made is not None:
            import pyopencl.array as arrays

            made, context = self.made, self.made.context
            self._array = arrays.Array(context.queue, made.shape, made.dtype, data=made.buffer, allocator=context.pool)
        return self._array

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, outermost first."""
        return tuple(self.array.shape) if self.made is None else self.made.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return cast("np.dtype[Any]", self.array.dtype) if self.made is None else self.made.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def to_host(self) -> np.ndarray[Any, Any]:
        """A new NumPy array with the content."""
        return managed_of(self).to_host()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("an array on a device cannot be seen by NumPy without a copy")
        host = self.to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.array.queue.device.name!r})"


def to_device(
    array: np.ndarray[Any, Any] | DeviceArray, device: Device | str | tuple[str, ...] | None = None
) -> DeviceArray:
    """Copies `array` to a device, or a block of its rows to each of several, where it stays; a DeviceArray is returned
    as it is.

    Raises:
        NoDevice: no device fits `device`, whose form is that of `select`.
        TypeError: the array's elements have no place on a device.
    """
    if isinstance(array, DeviceArray):
        return array
    if isinstance(device, tuple):
        several = select_all(device)
        if len(several) > 1:
            from somd.runtime.opencl.several.device_array import to_devices
            from somd.runtime.opencl.several.group import group_for

            return to_devices(np.asarray(array), group_for(several))
        device = several[0]
    chosen = device if isinstance(device, Device) else select(device)
    managed = Managed.of(context_for(chosen), np.asarray(array))
    managed.to_device()
    return device_array_of(managed)


def device_array_of(managed: Managed) -> DeviceArray:
    """The device side of `managed`, uploaded if it is stale, as a DeviceArray that shares its buffer."""
    managed.to_device()
    return DeviceArray(None, managed.on(managed.context))


#: by type, whether objects of it are arrays on a device
_kinds: dict[type, bool] = {}


def is_device_array(value: object) -> bool:
    """Whether `value` is a DeviceArray or a `pyopencl.array.Array`; does not load pyopencl."""
    kind = type(value)
    found = _kinds.get(kind)
    if found is None:
        theirs = any(base.__module__ == "pyopencl.array" and base.__name__ == "Array" for base in kind.__mro__)
        found = _kinds[kind] = theirs or issubclass(kind, DeviceArray)
    return found


def context_of_array(value: Any) -> Context:
    """The context in which a device array lives.

    Raises:
        ValueError: it has no queue.
    """
    if isinstance(value, DeviceArray) and value.made is not None:
        context = value.made.context
        if context.alone and not context.forgotten:
            fork.check()
            return context
        return context_of(context.queue)
    array = value.array if isinstance(value, DeviceArray) else value
    if array.queue is None:
        raise ValueError("the device array has no command queue; give it one with array.with_queue(queue)")
    return context_of(array.queue)


def group_of_array(value: Any) -> Group | None:
    """The devices over which an array is spread; None for one that lives on a single device."""
    spread = getattr(value, "spread", None)
    return None if spread is None else cast("Group", spread.group)


def managed_of(value: Any) -> Managed:
    """A device array as a Managed on its own buffer: what is written to it is written to the array.

    Raises:
        ValueError: the array is not one run of memory in C order from the beginning of its buffer.
    """
    if isinstance(value, DeviceArray) and value.made is not None:
        return value.made.on(context_of_array(value))
    array = value.array if isinstance(value, DeviceArray) else value
    if array.size and not (array.flags.c_contiguous and array.offset == 0):
        raise ValueError("a device array must be contiguous, in C order and without an offset; pass array.copy()")
    context = context_of_array(array)
    return Managed(context, cast("tuple[int, ...]", array.shape), array.dtype, buffer=array.base_data)
