"""Every usable device in turn; the caches are the test session's own."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyopencl")

from somd.runtime.opencl import Device, NoDevice, select
from tests.trials import with_all_trials


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Caches of the test session alone: nothing warm but trials of devices, nothing left behind."""
    return with_all_trials(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def own_cache(session_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(session_cache))


@pytest.fixture(autouse=True)
def own_code(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that patches something has code of its own."""
    from tests.transforms.opencl.running import compiled_once

    patches = "monkeypatch" in inspect.signature(request.function).parameters
    if patches:
        compiled_once.cache_clear()
    yield
    if patches:
        compiled_once.cache_clear()


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
