"""Rows that travel beside kernels come in time, however late the copies are."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.several_devices import heat
from somd import use
from somd.runtime.opencl.ranks.arrays import Ranked
from somd.runtime.opencl.ranks.session import RankedRun
from somd.runtime.opencl.several import parts
from somd.runtime.opencl.several.parts import Part
from somd.runtime.opencl.side_queue import SideQueue
from tests.runtime.mpi.programs import upwards
from tests.runtime.mpi.threads import on_ranks

pytest.importorskip("pyopencl")


#: what a device does for a while; no event of the host's, for copies that wait let none of Python's threads go on
BUSY = """__kernel void busy(__global float *x) {
    float s = x[0];
    for (int i = 0; i < 10000000; i++)
        s = s * 0.5f + x[1];
    x[0] = s;
}"""


def late(copy: Callable[..., Any]) -> Callable[..., Any]:
    """A copy that begins a while after it could."""

    def begun(self: SideQueue, *how: Any) -> Any:
        cl = self._cl
        numbers = cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE, 8)
        kernel = cl.Kernel(busy_program(cl, self.queue.context), "busy")
        kernel.set_args(numbers)
        cl.enqueue_nd_range_kernel(self.queue, kernel, (1,), (1,))
        return copy(self, *how)

    return begun


def checked(run_part: Callable[..., Any]) -> Callable[..., Any]:
    """A part that is launched writes nothing that is on its way to the host."""

    def launched(self: RankedRun, kernel: Any, part: Part, *how: Any, **named: Any) -> Any:
        assert not any(array.leaving(*rows) for array, rows in part.written if isinstance(array, Ranked))
        return run_part(self, kernel, part, *how, **named)

    return launched


@functools.cache
def busy_program(cl: Any, context: Any) -> Any:
    """`BUSY` for a context."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        return cl.Program(context, BUSY).build()


@pytest.mark.parametrize("way", ["down", "up"])
@pytest.mark.parametrize(("method", "count"), [(heat, 2), (upwards, 1)])
def test_late_rows(method: Any, count: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "FEW", 0)
    monkeypatch.setattr(SideQueue, way, late(getattr(SideQueue, way)))
    monkeypatch.setattr(RankedRun, "_run_part", checked(RankedRun._run_part))
    given = [np.random.default_rng(k).random((60, 7)) for k in range(count)]
    plain = [array.copy() for array in given]
    method.sequential(*plain, 3)

    def of_rank(_: int) -> list[np.ndarray]:
        arrays = [array.copy() for array in given]
        with use(target="opencl"):
            method(*arrays, 3)
        return arrays

    for found in on_ranks(2, of_rank):
        if isinstance(found, Exception):
            raise found
        for array, expected in zip(found, plain, strict=True):
            assert np.array_equal(array, expected)
