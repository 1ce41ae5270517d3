"""Every usable device in turn; the caches are the test session's own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyopencl")

from somd.runtime.opencl import Device, NoDevice, select


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    for driver in ("gpu", "intel", "pocl"):  # whose trials need not be made anew
        with contextlib.suppress(NoDevice):
            select(driver)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOMD_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(params=["gpu", "intel", "pocl", "oclgrind"])
def device(request: pytest.FixtureRequest) -> Device:
    try:
        return select(request.param)
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.fixture(params=["gpu", "intel", "pocl"])
def quick_device(request: pytest.FixtureRequest) -> Device:
    """Without the simulator: for tables of arithmetic, which have nothing to do with memory."""
    try:
        return select(request.param)
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.fixture
def any_device() -> Device:
    try:
        return select()
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])
