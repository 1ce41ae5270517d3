"""What goes wrong on a device: a clear error or the fall-back, arguments as they were, and the next call works."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import somd
from somd import SomdFallbackWarning, SomdRuntimeError, dist
from somd.calls import entries
from somd.runtime.opencl import Device, execute, programs
from somd.runtime.opencl.context import context_for
from somd.runtime.opencl.failures import build_refused


@somd.somd
def doubled(a: dist[np.ndarray]) -> np.ndarray:
    b = np.empty_like(a)
    for i in range(len(a)):
        a[i] = a[i] * 2.0
    for i in range(len(a)):
        b[i] = a[i] + 1.0
    return b


@somd.somd
def copied(a: dist[np.ndarray]) -> np.ndarray:
    b = np.empty_like(a)
    for i in range(len(a)):
        b[i] = a[i]
    return b


@somd.somd
def turned(a: dist[np.ndarray], b: dist[np.ndarray]) -> int:
    total = 0
    for i in range(a.size // 2):
        a[i], a[-i - 1] = a[-i - 1], a[i]
        total += int(b[i])
    return total


@somd.somd
def emptied(a: dist[np.ndarray], turns: int) -> None:
    for t in range(turns):
        for i in range(len(a)):
            if a[i] == 0.0:
                raise ValueError(t, i)
            a[i] -= 1.0


class Record:
    """The argument of pyopencl's errors."""

    def __init__(self, number: int) -> None:
        self.number = number

    def code(self) -> int:
        return self.number

    def __str__(self) -> str:
        return f"code {self.number}"


@pytest.fixture(autouse=True)
def opencl(any_device: Device) -> Iterator[None]:
    with somd.use(target="opencl"):
        yield


def works() -> bool:
    a = np.ones(5)
    return doubled(a).tolist() == [3.0] * 5 and a.tolist() == [2.0] * 5


def test_out_of_memory() -> None:
    huge = np.broadcast_to(1.0, (1 << 44,))
    with pytest.raises(SomdRuntimeError, match=r"allocating \d+ bytes failed on the OpenCL device"):
        copied(huge)
    assert works() and copied(np.ones(3)).tolist() == [1.0] * 3


@pytest.mark.parametrize(("code", "new"), [(-36, True), (-9999, True), (-5, False)])
def test_a_kernel_that_fails(code: int, new: bool, any_device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    assert works()
    context = context_for(any_device)
    launch = programs.Kernel.launch

    def failing(self: programs.Kernel, *sizes: tuple[int, ...]) -> None:
        if self.name.endswith("_2"):
            raise context.cl.LogicError(Record(code))
        launch(self, *sizes)

    monkeypatch.setattr(programs.Kernel, "launch", failing)
    a = np.ones(5)
    with pytest.raises(SomdRuntimeError, match=rf"launching doubled_2 over .* failed on the OpenCL device .*{code}"):
        doubled(a)
    assert a.tolist() == [1.0] * 5
    monkeypatch.undo()
    with somd.use(target="opencl"):
        assert works()
    assert (context_for(any_device) is not context) == new


def test_a_program_that_the_driver_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> None:
        raise build_refused("some device", "model.py:3:1: error", "kept.cl")

    twin = doubled.twin()
    monkeypatch.setattr(execute, "build", refusing)
    a = np.ones(5)
    with pytest.warns(SomdFallbackWarning, match="(?s)runs on multicore instead of opencl: .*refused.*SOMD504"):
        assert twin(a).tolist() == [3.0] * 5
    assert a.tolist() == [2.0] * 5
    monkeypatch.undo()
    assert works()


def test_what_the_target_lacks_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.arange(4.0)
    with pytest.warns(SomdFallbackWarning, match="SOMD501"):
        assert turned(a, np.ones(4)) == 2
    monkeypatch.setattr(entries, "compile_entry", None)
    assert turned(a, np.ones(4)) == 2 and a.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_what_an_early_one_of_endless_turns_raises_ends_them() -> None:
    with pytest.raises(ValueError, match=r"\(2, 1\)"):
        emptied(np.array([9.0, 2.0, 5.0]), 2**62)
