"""A crash of the compiler is reported as one, never as a finding about the user's program."""

from __future__ import annotations

import numpy as np
import pytest

from somd import SomdInternalError, dist
from somd.transforms import pipeline


def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]


def test_a_broken_invariant_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise AssertionError("isl does not read this")

    monkeypatch.setattr(pipeline, "method_to_plan", broken)
    with pytest.raises(SomdInternalError, match=r"SOMD901.*`double`.*isl does not read this"):
        pipeline.check(double)
