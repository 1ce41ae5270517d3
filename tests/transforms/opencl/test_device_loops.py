"""Loops that the master takes and the device runs: what moves, and which fault is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from somd.language.markers import dist
from somd.runtime.opencl import Device, NoDevice, count_transfers, select, to_device, watch_launches
from somd.runtime.opencl.kept import Kept
from tests.language.device_loops import factorised, normalized_again_and_again
from tests.transforms.opencl.running import code_of, on_device
from tests.trials import CACHE

ROOT = Path(__file__).parents[3]


def walk(a: dist[np.ndarray], step: dist[np.ndarray], turns: int):
    at = 0
    for _ in range(turns):
        at = at + step[at]
        for i in range(len(a)):
            a[i] = a[i] + at
        step[at] = step[at] + 1
    return at


def while_far(a: dist[np.ndarray], index: dist[np.ndarray]):
    far = 10.0
    turns = 0
    while far > 1.0 and turns < 1000000:
        far = 0.0
        for i in range(len(a)):
            far = max(far, a[index[i]])
        for i in range(len(a)):
            a[i] = a[i] * 2.0
        turns += 1
    return far


def test_a_factorisation_moves_its_arguments_once(any_device: Device) -> None:
    a, b = np.eye(50) + 1.0, np.ones(50)
    with count_transfers() as seen:
        on_device(factorised.__wrapped__, any_device, a, b, np.zeros(50, int))
    assert seen.uploaded_bytes == a.nbytes + 2 * b.nbytes
    assert seen.downloaded_bytes == a.nbytes + 2 * b.nbytes


def test_scalars_that_stay_are_read_once(any_device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn asks for the largest element and for its place, between which other scalars are set."""
    reads = []
    read = Kept._read
    monkeypatch.setattr(Kept, "_read", lambda kept: reads.append(kept) or read(kept))
    on_device(factorised.__wrapped__, any_device, np.eye(50) + 1.0, np.ones(50), np.zeros(50, int))
    assert len(reads) == 49


def test_nothing_moves_between_calls_on_device_arrays(any_device: Device) -> None:
    a = to_device(np.arange(1.0, 50.0), any_device)
    code = code_of(normalized_again_and_again.__wrapped__, np.ones(3), 3)
    from somd.runtime.opencl.execute import call

    module: dict[str, object] = {}
    exec(compile(code.host, "host.py", "exec"), module)
    with count_transfers() as seen, watch_launches() as launched:
        for _ in range(3):
            call(module[code.entry], code.kernels, code.kernel_names, (a, 2))  # type: ignore[arg-type]
    assert (seen.uploads, seen.downloads) == (0, 0)
    assert len(launched) == 3 * 2 * 5


def test_the_first_fault_is_told(device: Device) -> None:
    a, step = np.zeros(7), np.ones(5, int)
    with pytest.raises(IndexError, match=r"index 7 of `step\[at\]` .*axis 0 of `step`"):
        on_device(walk, device, a, np.array([1, 5, 1, 1, 1]), 50)
    assert a.tolist() == [8.0] * 7  # as in plain Python: the master found it, behind two phases
    a, wanted, wanted_step = np.zeros(7), np.zeros(7), step.copy()
    at = walk(wanted, wanted_step, 2)
    assert on_device(walk, device, a, step, 2) == at
    assert a.tolist() == wanted.tolist() and step.tolist() == wanted_step.tolist()


def test_a_loop_ends_after_a_fault(any_device: Device) -> None:
    a = np.full(9, 3.0)
    with pytest.raises(IndexError, match=r"index 9 of `a\[index\[i\]\]`"):
        on_device(while_far, any_device, a, np.arange(1, 10))
    assert a.tolist() == [3.0] * 9


@pytest.mark.usual(0)
def test_the_simulator_finds_no_race(tmp_path: Path) -> None:
    try:
        select("oclgrind")
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])
    code = """
import numpy as np, somd
from tests.differential import harness
from tests.language import device_loops
from tests.language.program import PROGRAMS
for program in PROGRAMS:
    for args in program.cases():
        if sum(a.size for a in args if isinstance(a, np.ndarray)) < 700:
            with somd.use(device="oclgrind"):
                harness.check(program.method, args, "opencl", rtol=program.rtol, workers=(1,))
"""
    log = tmp_path / "log"
    names = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": str(log), "SOMD_CACHE_DIR": str(CACHE)}
    environment = {**os.environ, **names, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)
    assert log.read_text() == ""
