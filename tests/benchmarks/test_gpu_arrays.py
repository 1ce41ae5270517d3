"""Array programs find what NumPy does, by the embedded device."""

from __future__ import annotations

import os

import pytest

from benchmarks.gpu_arrays.__main__ import main
from benchmarks.gpu_arrays.programs import PROGRAMS

NAMES = [program.name for program in PROGRAMS] if "SOMD_ALL_CASES" in os.environ else ["standard_scores"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usual(0)
def test_same_numbers(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--only", name, "--numbers", "5000", "--beside", "NumPy", "--repeat", "1", "--calls", "1"]
    assert main(given) == 0, capsys.readouterr().out
    assert "geometric mean of 1" in capsys.readouterr().out
