"""Two or three devices of one driver, and small launches shared among them all the same."""

from __future__ import annotations

import pytest

from somd.runtime.opencl.several import parts
from tests.several import KINDS, several


@pytest.fixture(params=[(kind, count) for kind in KINDS for count in (2, 3)], ids=lambda pair: f"{pair[0]}-{pair[1]}")
def shared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    kind, count = request.param
    monkeypatch.setattr(parts, "FEW", 0)
    return several((kind,), count, monkeypatch)


@pytest.fixture(params=KINDS)
def pair(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    return several((request.param,), 2, monkeypatch)
