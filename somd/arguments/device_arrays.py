"""Arrays on an OpenCL device as arguments of methods, known without loading what they are made of.

`to_device` makes them; a `pyopencl.array.Array` is one as well. On the target `opencl` nothing is copied. On another
one a call works on copies on the host, and what it changes is copied back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from somd.runtime.opencl import DeviceArray

_OURS, _THEIRS = ("somd.runtime.opencl.device_array", "DeviceArray"), ("pyopencl.array", "Array")
_known: dict[type, bool] = {np.ndarray: False, int: False, float: False}


def on_device(value: object) -> bool:
    """Whether `value` is an array on a device."""
    kind = type(value)
    found = _known.get(kind)
    if found is None:
        bases = [(base.__module__, base.__name__) for base in kind.__mro__]
        found = _known[kind] = _OURS in bases or _THEIRS in bases
    return found


def to_device(array: Any, device: str | Sequence[str] | None = None) -> DeviceArray:
    """Copy an array to an OpenCL device, where it stays: methods take and return it without a copy.

    Several devices get a block of its rows each.

    Args:
        array: a NumPy array; one that is on a device is returned as it is.
        device: "gpu", "cpu", "gpu:1", part of a name, or "platform:device", or several of these; without it, what the
            configuration says.

    Raises:
        SomdRuntimeError: no such device (SOMD502).
        TypeError: the elements have no place on a device.
    """
    from somd.runtime.opencl import to_device as copy_to
    from somd.settings import config

    if device is None:
        device = config.settings_for("to_device", "somd").device
    return copy_to(array, device if device is None or isinstance(device, str) else tuple(device))


def memory_of(array: Any) -> object:
    """What two arrays on a device have in common if they are the same memory."""
    array = getattr(array, "array", array)
    return getattr(array.base_data, "int_ptr", id(array))


def layout_of(array: Any) -> object:
    """What two arrays on a device have in common if all their elements are at the same places."""
    array = getattr(array, "array", array)
    where = tuple(getattr(array, name, None) for name in ("offset", "strides"))
    return memory_of(array), tuple(array.shape), array.dtype, where


def on_host(
    call: Callable[[tuple[Any, ...]], Any], values: Sequence[Any], written: Callable[[tuple[Any, ...]], Sequence[int]]
) -> Any:
    """`call` with copies on the host; those that are written are copied back, a result that is one is the argument."""
    copies: dict[object, np.ndarray[Any, Any]] = {}
    for value in values:
        if on_device(value) and layout_of(value) not in copies:
            copies[layout_of(value)] = _get(value)
    given = tuple(copies[layout_of(v)] if on_device(v) else v for v in values)
    result = call(given)
    for k in written(given):
        if on_device(values[k]):
            getattr(values[k], "array", values[k]).set(given[k])
    own = {id(copy): value for copy, value in zip(given, values, strict=True) if on_device(value)}
    parts = result if isinstance(result, tuple) else (result,)
    found = tuple(own.get(id(part), part) for part in parts)
    return found if isinstance(result, tuple) else found[0]


def _get(value: Any) -> np.ndarray[Any, Any]:
    host: np.ndarray[Any, Any] = getattr(value, "array", value).get()
    return host
