"""Trials of devices: the kernels are what the compiler writes, right answers pass, what goes wrong is told in words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import somd
from somd.cli.devices import devices
from somd.runtime.opencl import Device, NoDevice, known_answers, trial, trial_run
from somd.runtime.opencl.context import context_of
from somd.runtime.opencl.drivers import pyopencl
from somd.runtime.opencl.known_answers import SIZES, arguments
from somd.sources.expected import expected_of
from somd.sources.verifying import verify
from tests.usual import ALL


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usual(3)
def test_the_method_means_the_same_on_multicore(size: tuple[int, int]) -> None:
    """Its plan is run by the interpreter; with all cases what multicore makes of it, which takes seconds to compile."""
    given, wanted = arguments(*size), arguments(*size)
    with np.errstate(all="ignore"):
        expected = known_answers.known_answers(*wanted)
    if not ALL:
        method = somd.somd(known_answers.known_answers)
        for found in verify(method, [expected_of(method, given)], ["plan"], (2,), 1):
            assert found.agrees.startswith("1 orders: agrees"), found
        return
    with somd.use(target="multicore"):
        assert somd.somd(known_answers.known_answers)(*given) == expected
    assert all(np.array_equal(mine, theirs) for mine, theirs in zip(given, wanted, strict=True))


@pytest.mark.usual(2)
def test_a_device_passes(device: Device) -> None:
    if device.info.kind == "simulator":
        pytest.skip("simulators are taken as they are")
    assert trial_run.wrong_on(device) == []
    assert trial.problem.__wrapped__(device.info) is None


def test_wrong_answers_are_named(any_device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    text = trial_run.module.KERNELS
    for right, wrong in (("if (i > m)", "if (i >= m)"), ("s = s + a[j]", "s = s + a[n - 1 - j]")):  # in another order
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    monkeypatch.setattr(trial_run.module, "KERNELS", text)
    assert trial_run.wrong_on(any_device) == ["d", "u"]


def test_an_outcome_is_remembered(any_device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    outcomes = [("fails", "no linker"), ("wrong", "other answers"), ("works", None)]
    monkeypatch.setattr(trial, "_tried", lambda info: outcomes.pop(0))
    ask = trial.problem.__wrapped__
    assert ask(any_device.info) == "no linker"
    assert [ask(any_device.info) for _ in range(2)] == ["other answers"] * 2
    newer = replace(any_device.info, driver_version="another")
    assert [ask(newer) for _ in range(2)] == [None, None]
    assert not outcomes


INTEL = {"platform": "Intel(R) OpenCL", "platform_version": "OpenCL 3.0 LINUX", "name": "Some CPU"}
POCL = {
    "platform": "Portable Computing Language",
    "platform_version": "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF",
    "name": "pthread-AMD EPYC 9755",
}
UNKNOWN = json.dumps(
    ["fails", "clBuildProgram failed\n\nBuild on <x>:\n\nerror: unknown target CPU 'generic'\nx failed"]
)
HWLOC = "*****\n* hwloc 2.7 received invalid information from the operating system.\n*****\n"


@pytest.mark.parametrize(
    ("driver", "status", "out", "err", "verdict", "words"),
    [
        (INTEL, 0, '["works", ""]', "", "works", None),
        (INTEL, 0, 'chatter\n["wrong", "d, g"]', HWLOC, "wrong", "known answers give other ones (d, g)"),
        (INTEL, -6, "", "malloc(): corrupted\n", "fails", "end the process (SIGABRT): malloc(): corrupted"),
        (INTEL, 1, '["fails", "clBuildProgram failed"]', HWLOC, "fails", "cannot be run: clBuildProgram failed"),
        (POCL, 1, UNKNOWN, HWLOC, "fails", "its LLVM 14.0.6 does not know this CPU (AMD EPYC 9755); a newer PoCL may"),
        (
            POCL,
            -6,
            "",
            f"{HWLOC}Traceback\n/usr/bin/ld: cannot find -lc\n",
            "fails",
            "here: /usr/bin/ld: cannot find -lc",
        ),
        (POCL, -6, "", HWLOC, "fails", "it says nothing"),
    ],
)
def test_what_goes_wrong_in_words(
    driver: dict[str, str], status: int, out: str, err: str, verdict: str, words: str | None, any_device: Device
) -> None:
    found, reason = trial.judged(replace(any_device.info, **driver), status, out, err)
    assert found == verdict
    assert reason == words if words is None else words in str(reason)
    assert "\n" not in (reason or "")


@somd.somd
def late(a: somd.dist[np.ndarray], m: int) -> None:
    for i in range(len(a) - 1, -1, -1):
        if len(a) - i > m:
            a[i] = a[i] + 1.0


def test_a_method_falls_back_from_a_device_that_is_wrong(
    any_device: Device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "its compiler is not to be trusted"
    monkeypatch.setattr(trial, "problem", lambda info: words)
    a = np.zeros(9)
    with somd.use(target="opencl"), pytest.warns(somd.SomdFallbackWarning, match=words):
        late.twin()(a, 4)
    assert a.tolist() == [1.0] * 5 + [0.0] * 4
    assert words in str(somd.targets()["opencl"])
    devices()
    assert f"cannot be used: {words}" in " ".join(capsys.readouterr().out.split())


def test_a_queue_of_the_callers_on_a_device_that_is_wrong(any_device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    cl = pyopencl()
    queue = cl.CommandQueue(cl.Context([any_device.handle]))
    monkeypatch.setattr(trial, "problem", lambda info: "other answers")
    with pytest.raises(NoDevice, match="cannot be used: other answers"):
        context_of(queue)
