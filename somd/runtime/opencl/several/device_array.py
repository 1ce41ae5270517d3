"""Arrays that stay on several devices between calls."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from somd.runtime.opencl.device_array import DeviceArray
from somd.runtime.opencl.several.arrays import Spread
from somd.runtime.opencl.several.group import Group


class SpreadDeviceArray(DeviceArray):
    """An array spread over the devices of a group: each holds the rows that it worked on."""

    def __init__(self, spread: Spread) -> None:
        self.spread = spread
        # What is asked of a `pyopencl.array.Array`.
        super().__init__(
            SimpleNamespace(
                shape=spread.shape,
                dtype=spread.dtype,
                size=int(np.prod(spread.shape)),
                base_data=SimpleNamespace(int_ptr=id(spread)),
                queue=spread.group.lead.queue,
                get=self.to_host,
                set=self._set,
            )
        )

    def to_host(self) -> np.ndarray[Any, Any]:
        """A new NumPy array with the content."""
        return self.spread.content()

    def _set(self, host: np.ndarray[Any, Any]) -> None:
        """Takes over the content of a NumPy array of the same shape."""
        with self.spread.context.lock:
            self.spread.host = np.array(host, self.spread.dtype)
            self.spread.written_on_host()
            _spread_out(self.spread)

    def __repr__(self) -> str:
        names = [str(context.device.info.name) for context in self.spread.group.contexts]
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, devices={names})"


def spread_of(group: Group, array: Any) -> Spread:
    """A NumPy array as it is, on the host; nothing is copied yet.

    Raises:
        TypeError: not an array, or elements that have no place on a device.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"a NumPy array is needed, not {type(array).__name__}")
    return Spread(group, array.shape, array.dtype, np.asarray(array))


def to_devices(array: Any, group: Group) -> SpreadDeviceArray:
    """Copies `array` to the devices of a group, a block of rows to each."""
    if isinstance(array, SpreadDeviceArray):
        return array
    spread = spread_of(group, array)
    _spread_out(spread)
    return SpreadDeviceArray(spread)


def _spread_out(spread: Spread) -> None:
    """A block of rows to each device, and nothing left on the host."""
    rows, count = spread.places.rows, len(spread.sides)
    with spread.context.lock:
        for device in range(count):
            spread.need(device, rows * device // count, rows * (device + 1) // count)
        spread.release_host()
