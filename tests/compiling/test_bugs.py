"""What fails in the compiler, or in a library under it, reaches the user as an error of ours: what to report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import somd
from somd import SomdInternalError, dist
from somd.runtime.multicore.numba_internals.outlining import MasterCompiler
from somd.transforms import pipeline


def doubled(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]


def failing(error: Exception) -> Any:
    def fail(*given: Any, **named: Any) -> None:
        raise error

    return fail


@pytest.mark.parametrize("error", [numba.TypingError("no\nidea"), KeyError("x"), NotImplementedError()])
def test_numba_fails(error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    method = somd.somd(doubled)
    monkeypatch.setattr(MasterCompiler, "compile_extra", failing(error))
    with somd.use(target="multicore"), pytest.raises(SomdInternalError) as caught:
        method(np.ones(3))
    text = str(caught.value)
    assert caught.value.code == "SOMD902"
    assert f"generated for `doubled`: {type(error).__name__}" in text
    assert "please report it" in text
    assert str(tmp_path) in text
    assert "numba 0." in text
    assert caught.value.__cause__ is error
    monkeypatch.undo()
    a = np.ones(3)
    with somd.use(target="multicore"):
        somd.somd(doubled)(a)
    assert a.tolist() == [2.0] * 3


@pytest.mark.parametrize("step", ["read_method", "method_to_plan", "with_names_apart"])
def test_the_compiler_fails(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, step, failing(KeyError("x")))
    with pytest.raises(SomdInternalError, match=r"SOMD901.*`doubled`: KeyError: 'x'"):
        pipeline.compile_for(doubled, pipeline.default_arguments(doubled), {})


def test_a_driver_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyopencl

    from somd.runtime.opencl import execute

    if somd.targets()["opencl"] is not None:
        pytest.skip("no device")
    method = somd.somd(doubled)
    with somd.use(target="opencl"):
        method(np.ones(3))
        monkeypatch.setattr(execute, "open_run", failing(pyopencl.LogicError("lost")))
        with pytest.raises(somd.SomdRuntimeError, match=r"`doubled` failed on the OpenCL device .*lost") as caught:
            method(np.ones(3))
    assert isinstance(caught.value.__cause__, pyopencl.LogicError)


PROGRAM = """
import warnings
import numpy as np
import somd
from somd import dist

@somd.somd
def scaled(a: dist[np.ndarray], *, by: float = 2.0):
    for i in range(len(a)):
        a[i] = by * a[i]

a = np.ones(3)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    scaled(a)
    scaled(a, by=3.0)
(told,) = seen
assert told.filename == __file__ and "sequential instead of multicore" in str(told.message), told
assert "NUMBA_DISABLE_JIT" in str(told.message) and "SOMD505" in str(told.message), told
assert a.tolist() == [6.0] * 3
assert "NUMBA_DISABLE_JIT" in somd.targets()["multicore"]
"""


@pytest.mark.usual(0)
def test_numba_is_switched_off(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "SOMD_TARGET": "multicore"}
    for command in ([str(program)], ["-m", "somd", "run", str(program)], ["-m", "somd", "devices"]):
        done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert "multicore   cannot be used: Numba compiles nothing: NUMBA_DISABLE_JIT" in done.stdout
