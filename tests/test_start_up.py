"""What is imported when: the compiler only where something must be compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import somd
from tests.trials import with_trials

PROGRAM = """
import json, sys
import numpy as np
from somd import dist, somd

imported = sorted(sys.modules)

@somd
def double(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = 2.0 * a[i]

a = np.ones(10)
double(a)
assert a.tolist() == [2.0] * 10
print(json.dumps([imported, sorted(sys.modules)]))
"""
COMPILER = {"libcst", "islpy", "somd.transforms"}


def run(program: Path, cache: Path, target: str) -> tuple[set[str], set[str]]:
    """The modules after `import somd`, and after a call, in a process of its own."""
    environment = {**os.environ, "SOMD_CACHE_DIR": str(cache), "SOMD_TARGET": target}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=True)
    first, last = json.loads(done.stdout)
    return set(first), set(last)


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.usual(2)
def test_a_second_process_does_without_the_compiler(tmp_path: Path, target: str) -> None:
    if somd.targets()[target] is not None:
        pytest.skip(str(somd.targets()[target]))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    after_import, after_call = run(program, with_trials(tmp_path / "cache"), target)
    assert not after_import & {*COMPILER, "numba", "pyopencl", "rich", "typer"}
    assert after_call >= COMPILER
    _, again = run(program, tmp_path / "cache", target)
    assert not again & COMPILER
    assert ("numba" in again) == (target == "multicore")
