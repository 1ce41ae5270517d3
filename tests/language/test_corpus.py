"""Every program of the corpus does on every target, for any number of workers, what it does as plain Python.

On multicore, where each signature costs seconds of compile time, two programs of three are run, and of each the cases
of one signature; all with SOMD_ALL_CASES=1.
"""

from __future__ import annotations

import importlib
import os
import zlib
from pathlib import Path

import pytest

from tests.differential import harness
from tests.language.program import PROGRAMS, Program

HERE = Path(__file__).parent
for file in sorted(HERE.glob("*.py")):
    if not file.name.startswith("test_") and file.name != "program.py":
        importlib.import_module(f"tests.language.{file.stem}")


def marked(program: Program, target: str) -> object:
    reason = program.xfail.get(target)
    marks = [pytest.mark.xfail(reason=reason)] if reason else []
    return pytest.param(program, target, id=f"{program.name}-{target}", marks=marks)


@pytest.mark.parametrize(("program", "target"), [marked(p, t) for p in PROGRAMS for t in harness.TARGETS])
def test_program(program: Program, target: str) -> None:
    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    if target == "multicore" and zlib.crc32(program.name.encode()) % 3 == 0 and not os.environ.get("SOMD_ALL_CASES"):
        pytest.skip("one of those that only SOMD_ALL_CASES=1 runs")
    for args in harness.chosen(program.cases(), target):
        harness.check(program.method, args, target, rtol=program.rtol)


def test_names_are_different() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == len(names)
