"""Single elements of an array whose content is on a device: read and written there, while the array would cost more.

An array that has been asked for many elements comes to the host as a whole, so that at worst twice the time of that is
spent. In: a `Managed` whose host side is stale, or of which both sides are valid. Out: NumPy's scalars.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from somd.runtime.opencl.failures import device_errors
from somd.runtime.opencl.transfers import note_download, note_upload

if TYPE_CHECKING:
    from somd.runtime.opencl.arrays import Managed

#: an array of fewer bytes is moved as a whole, and so many are moved in the time of a single reading
SMALL, BYTES_OF_A_READING = 4096, 1 << 16


def worth(array: Managed, singles: int) -> bool:
    """Whether one more element is had alone, after so many."""
    return bool(array.nbytes > max(SMALL, singles * BYTES_OF_A_READING))


def read(array: Managed, index: Any) -> Any:
    """The element at `index`, from the device."""
    cell = np.empty((), array.dtype)
    with array.context.lock, device_errors("reading an element", str(array.context.device)):
        copy, queue = array.context.cl.enqueue_copy, array.context.queue
        copy(queue, cell, array.buffer, src_offset=offset_of(array, index), is_blocking=True)
    note_download(array.dtype.itemsize)
    return cell[()]


def write(array: Managed, index: Any, value: Any) -> None:
    """Sets the element at `index` on the device; after what is enqueued, without waiting for it."""
    cell = np.empty((), array.dtype)
    cell[()] = value
    with array.context.lock, device_errors("writing an element", str(array.context.device)):
        fill, queue = array.context.cl.enqueue_fill_buffer, array.context.queue
        fill(queue, array.buffer, cell, offset_of(array, index), array.dtype.itemsize)
    note_upload(array.dtype.itemsize)


def offset_of(array: Managed, index: Any) -> int:
    """The byte at which the element at `index` begins; negative indexes count from the end.

    Raises:
        IndexError: it lies outside.
    """
    indexes = index if isinstance(index, tuple) else (index,)
    flat = 0
    for axis, (each, length) in enumerate(zip(indexes, array.shape, strict=True)):
        if not -length <= each < length:
            raise IndexError(f"index {each} is out of bounds for axis {axis} with size {length}")
        flat += (int(each) % length) * math.prod(array.shape[axis + 1 :])
    return flat * array.dtype.itemsize
