"""Generated loops with conditions on their indexes, on what the machine has. A longer run: SOMD_PROGRAMS_DEVICE=250."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from somd.errors import SomdCompileError
from tests.differential import harness
from tests.property.index_conditions import difference, function_of
from tests.trials import with_trials


def test_generated_conditions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = harness.unavailable("opencl")
    if reason is not None:
        pytest.skip(reason)
    monkeypatch.setenv("SOMD_CACHE_DIR", str(with_trials(tmp_path)))
    for number in range(int(os.environ.get("SOMD_PROGRAMS_DEVICE", 4))):
        try:
            found = difference(number, None)
        except SomdCompileError:
            continue
        assert found is None, f"program {number}, {found}\n{function_of(number)[1]}"
