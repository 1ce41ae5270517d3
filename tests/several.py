"""Several devices of one driver, for tests: those that the machine has and can use, or parts of Intel's CPU runtime.

A part is a sub-device where the CPU can be divided into as many, else the device again, with a queue of its own: both
have buffers of their own for the runtime, so that rows must be exchanged as between any two devices.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import pytest

from somd.runtime.opencl.devices import Device, NoDevice, every, problem, select
from somd.runtime.opencl.drivers import pyopencl

KINDS = ("own", "parts")
#: parts are entered under numbers from here on: no device has them
FIRST = 100


def several(kinds: Sequence[str], count: int, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """`count` devices of the first of `kinds` of which there are so many, as the configuration names them; skips the
    test where there are not."""
    for kind in kinds:
        found = _own(count) if kind == "own" else _parts(count, monkeypatch)
        if found:
            return found
    return pytest.skip(f"no driver with {count} devices that can be used")


def _own(count: int) -> tuple[str, ...]:
    for platform, name in (("portable", "portable"), ("nvidia", "gpu")):
        usable = [d.info for d in _every() if platform in d.info.platform.lower() and problem(d.info) is None]
        versions = [info.platform_version for info in usable]
        if any(versions.count(version) >= count for version in versions):
            return tuple(f"{name}:{k}" for k in range(count))
    return ()


def _parts(count: int, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    try:
        whole = select("intel")
    except NoDevice:
        return ()
    made = tuple(Device(whole.info, FIRST + k, handle) for k, handle in enumerate(_divided(whole.handle, count)))
    # The package's name for it is that of a function.
    devices = importlib.import_module("somd.runtime.opencl.devices")
    monkeypatch.setattr(devices, "every", lambda: (*every(), *made))
    return tuple(f"intel:{FIRST + k}" for k in range(count))


def _divided(handle: Any, count: int) -> list[Any]:
    if handle.max_compute_units < count:
        return [handle] * count
    equally = pyopencl().device_partition_property.EQUALLY
    return list(handle.create_sub_devices([equally, handle.max_compute_units // count])[:count])


def _every() -> tuple[Device, ...]:
    try:
        return every()
    except NoDevice:
        return ()
