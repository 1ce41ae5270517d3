"""Fixtures: every usable device in turn, and a Run of the hand-written kernels on it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyopencl")

from somd.runtime.opencl import Device, NoDevice, Run, open_run, select
from tests.trials import with_all_trials

SOURCE = (Path(__file__).parent / "kernels.cl").read_text()
KERNELS = ("add", "half_sweep", "partial_sums", "contraction", "divide_singles", "invert", "index_space", "scalars")


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Caches of the test session alone: nothing warm but trials of devices, nothing left behind."""
    return with_all_trials(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def own_cache(session_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(session_cache))


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
