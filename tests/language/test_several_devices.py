"""The corpus on two devices of one driver, or on two parts of one: the programs that stand for a feature of masters, and
for a way to divide arrays (see `features`), with the cases of one signature; all with SOMD_ALL_CASES=1."""

from __future__ import annotations

import pytest

import somd
from tests.differential import features, harness
from tests.language.program import Program
from tests.language.test_corpus import PROGRAMS
from tests.usual import ALL

STANDING = sorted({name for names in features.known("several").values() for name in names})
ON_OPENCL = [p for p in PROGRAMS if "opencl" not in p.xfail and (ALL or p.name in STANDING)]


@pytest.mark.parametrize("program", [pytest.param(program, id=program.name) for program in ON_OPENCL])
def test_program(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = program.unavailable or harness.unavailable("opencl")
    if reason is not None:
        pytest.skip(reason)
    from somd.runtime.opencl.several import parts
    from tests.several import KINDS, several

    devices = several(KINDS[:: 1 if program.name in STANDING[::4] else -1], 2, monkeypatch)
    monkeypatch.setattr(parts, "FEW", 0)
    with somd.use(device=devices):
        for args in harness.chosen(program.cases()):
            harness.check(program.method, args, "opencl", rtol=program.rtol, workers=(1,))
