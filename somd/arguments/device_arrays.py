"""Arrays on a device as arguments of methods, known without loading what they are made of.

`to_device` makes them; each target tells which there are. A call on it copies nothing. On another one it works on
copies on the host, and what it changes is copied back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from somd.settings.targets import TARGETS, target_of

if TYPE_CHECKING:
    from somd.runtime.opencl import DeviceArray

_known: dict[type, bool] = {np.ndarray: False, int: False, float: False}


def on_device(value: object) -> bool:
    """Whether `value` is an array on a device."""
    kind = type(value)
    found = _known.get(kind)
    if found is None:
        found = _known[kind] = any(_is_of(name, kind) for name in TARGETS)
    return found


def all_of(target: str, values: Iterable[object]) -> bool:
    """Whether those of `values` that are arrays on a device are so on one of this target."""
    return all(_is_of(target, type(value)) for value in values if on_device(value))


def _is_of(target: str, kind: type) -> bool:
    arrays = target_of(target).arrays
    return any((base.__module__, base.__name__) in arrays for base in kind.__mro__)


def to_device(array: Any, device: str | Sequence[str] | None = None) -> DeviceArray:
    """Copy an array to a device, where it stays: methods take and return it without a copy.

    Several devices get a block of its rows each.

    Args:
        array: a NumPy array; one that is on a device is returned as it is.
        device: "gpu", "cpu", "gpu:1", part of a name, or "platform:device", or several of these; without it, what the
            configuration says.

    Raises:
        SomdRuntimeError: no such device (SOMD502).
        TypeError: the elements have no place on a device.
    """
    from somd.settings import config

    settings = config.settings_for("to_device", "somd")
    if device is None:
        device = settings.device
    name = next(name for name in (settings.target, *TARGETS) if name in TARGETS and target_of(name).arrays)
    made: DeviceArray = target_of(name).to_device(
        array, device if device is None or isinstance(device, str) else tuple(device)
    )
    return made


def memory_of(array: Any) -> object:
    """What two arrays on a device have in common if they are the same memory."""
    made = getattr(array, "made", None)
    if made is not None:
        return made.buffer.int_ptr
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
