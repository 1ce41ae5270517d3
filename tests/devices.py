"""On which devices tests go through all combinations of forms and types: PoCL's compiler takes a second where Intel's
takes tenths of one, and the kernels are the same. On PoCL there are a few of each kind."""

from __future__ import annotations

import functools
import os

from somd.runtime.opencl.devices import Device, NoDevice, select


def has_few(device: Device) -> bool:
    """Whether a device need not do all combinations, since another one does; with SOMD_ALL_CASES set, none."""
    return device.info.is_pocl and not os.environ.get("SOMD_ALL_CASES") and _intel()


@functools.cache
def _intel() -> bool:
    try:
        select("intel")
    except NoDevice:
        return False
    return True
