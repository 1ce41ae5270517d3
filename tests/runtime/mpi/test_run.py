"""`somdc run --ranks`, and programs that share their work out themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.mpi.launching import started, unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
PROGRAM = """
import os
import sys

import numpy as np

from examples.vector_add import vector_add
from somd.runtime.mpi import launched

world = launched.world()
mine = 0.0 if world is not None else float(os.environ["OMPI_COMM_WORLD_RANK"])
found = vector_add(np.arange(5.0), np.full(5, mine))
print(f"{0 if world is None else world.size} ranks, {sys.argv[1:]}: {found.tolist()}")
"""


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.usual(2)
def test_a_script(tmp_path: Path, shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    if not shared:
        monkeypatch.setenv("SOMD_RANKS", "0")
    done = started(None, "-m", "somd", "run", "--ranks", "2", "--workers", "1", str(script), "--steps", "3")
    assert done.returncode == 0, done.stderr
    lines = sorted(line for line in done.stdout.splitlines() if "ranks" in line)
    if shared:
        assert lines == ["2 ranks, ['--steps', '3']: [0.0, 1.0, 2.0, 3.0, 4.0]"] * 2
    else:
        first, second = "[0.0, 1.0, 2.0, 3.0, 4.0]", "[1.0, 2.0, 3.0, 4.0, 5.0]"
        assert lines == [f"0 ranks, ['--steps', '3']: {each}" for each in (first, second)]
