"""Two or three devices of one driver, and small launches shared among them all the same."""

from __future__ import annotations

import pytest

from somd.runtime.opencl import devices
from somd.runtime.opencl.several import parts


def of_one_driver() -> tuple[str, ...]:
    """Devices to share a call, as the configuration names them: PoCL's where there are several, else GPUs."""
    for kind, name in (("portable", "portable"), ("nvidia", "gpu")):
        count = sum(kind in info.platform.lower() for info in devices())
        if count > 1:
            return tuple(f"{name}:{k}" for k in range(count))
    return ()


@pytest.fixture(params=[2, 3])
def shared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    found = of_one_driver()
    if len(found) < request.param:
        pytest.skip(f"no driver with {request.param} devices")
    monkeypatch.setattr(parts, "FEW", 0)
    return found[: request.param]


@pytest.fixture
def pair() -> tuple[str, ...]:
    found = of_one_driver()
    if len(found) < 2:
        pytest.skip("no driver with two devices")
    return found[:2]
