"""What has been found out about devices, for tests with caches of their own: trials of devices take seconds each."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
from pathlib import Path

#: the cache of the tests that have none of their own
CACHE = Path(os.environ["SOMD_CACHE_DIR"])


def with_all_trials(cache: Path) -> Path:
    """`cache` with what is known of the devices of every driver, which is found out first, for all tests of a run."""
    if importlib.util.find_spec("pyopencl") is None:
        return cache
    from somd.runtime.opencl import NoDevice, select

    for driver in ("gpu", "intel", "pocl"):
        with contextlib.suppress(NoDevice):
            select(driver)
    return with_trials(cache)


def with_trials(cache: Path) -> Path:
    """`cache` with what is known of devices already, and with nothing else."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copytree(CACHE / "opencl" / "trials", cache / "opencl" / "trials", dirs_exist_ok=True)
    return cache
