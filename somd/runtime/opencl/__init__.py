"""The device layer: drivers, devices, contexts, programs, arrays, and the Run of one call. See each file's head.

Nothing here imports pyopencl until a device is asked for.
"""

from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.device_array import DeviceArray, is_device_array, to_device
from somd.runtime.opencl.devices import Device, DeviceInfo, devices, select
from somd.runtime.opencl.failures import NoDevice
from somd.runtime.opencl.session import Run, open_run
from somd.runtime.opencl.transfers import Transfers, count_transfers
from somd.runtime.opencl.watching import watch_launches

__all__ = [
    "Device",
    "DeviceArray",
    "DeviceInfo",
    "Managed",
    "NoDevice",
    "Run",
    "Transfers",
    "count_transfers",
    "devices",
    "is_device_array",
    "open_run",
    "select",
    "to_device",
    "watch_launches",
]
