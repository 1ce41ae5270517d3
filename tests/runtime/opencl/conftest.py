"""Fixtures: every usable device in turn, and a Run of the hand-written kernels on it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyopencl")

from somd.runtime.opencl import Device, NoDevice, Run, open_run, select

SOURCE = (Path(__file__).parent / "kernels.cl").read_text()
KERNELS = ("add", "half_sweep", "partial_sums", "contraction", "divide_singles", "invert", "index_space", "scalars")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Caches of the test session alone: nothing warm, nothing left behind."""
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


@pytest.fixture
def opening() -> Callable[..., Run]:
    """`open_run` of the kernels."""
    return functools.partial(open_run, SOURCE, KERNELS)


@pytest.fixture
def run(opening: Callable[..., Run], device: Device) -> Iterator[Run]:
    with opening(device=device) as opened:
        yield opened


@pytest.fixture
def any_device() -> Device:
    try:
        return select()
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])
