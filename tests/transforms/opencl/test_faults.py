"""Accesses outside their arrays, found before the phase, in a kernel or in the master; the first one is named."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest

from somd.errors import SomdRuntimeError
from somd.language.markers import dist, partition
from somd.language.partitioners import ByKey
from somd.runtime.opencl import Device
from somd.transforms.opencl.plan_to_opencl import module_text
from tests.transforms.opencl.running import check, code_of, method_from, on_device

Array = np.ndarray


def add(a: dist[Array], b: dist[Array]):
    for i in range(len(a)):
        a[i] = a[i] + b[i]


def gather(out: dist[Array], table: Array, index: dist[Array], row: Array):
    for i in range(len(out)):
        out[i] = table[row[i], index[i]]


def gather_sum(table: Array, index: dist[Array]):
    s = 0.0
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            if index[i, j] != 1000:
                s += table[index[i, j]]
    return s


def scatter(out: dist[Array], n: int):
    for i in range(n):
        if out[i] > 0:
            out[i + 5] = -1.0 if n < 0 else out[i]


def serially(a: dist[Array], k: int):
    for i in range(len(a)):
        a[i] = a[i] + 1.0
    a[k] = 0.0


def test_before_the_phase(device: Device) -> None:
    a, b = np.ones(9), np.ones(5)
    with pytest.raises(IndexError, match=r"an index of `b\[i\]` .* axis 0 of `b` \(test_faults.py, line \d+\)"):
        on_device(add, device, a, b)
    assert a.tolist() == [1.0] * 9


def test_gathers(device: Device) -> None:
    pick = np.random.default_rng(3)
    table, index, row = pick.random((4, 6)), pick.integers(-6, 6, 50), pick.integers(-4, 4, 50)
    check(gather, device, np.zeros(50), table, index, row)
    index[[17, 18, 40]] = 6, -7, 100
    row[45:] = 77
    with pytest.raises(IndexError, match=r"index 6 of `table\[row\[i\], index\[i\]\]` .* axis 1 of `table`"):
        on_device(gather, device, np.zeros(50), table, index, row)
    row[16] = -5
    with pytest.raises(IndexError, match=r"index -5 .* axis 0"):
        on_device(gather, device, np.zeros(50), table, index, row)
    check(gather, device, np.zeros(16), table, index, row)


def test_gathers_in_a_reduction(device: Device) -> None:
    pick = np.random.default_rng(4)
    table, index = pick.random(20), pick.integers(0, 20, (7, 45))
    check(gather_sum, device, table, index, rtol=1e-14)
    index[3, 40], index[3, 41], index[4, 2], index[2, 2] = 20, 21, 22, 1000
    with pytest.raises(IndexError, match=r"index 20 of `table\[index\[i, j\]\]`"):
        on_device(gather_sum, device, table, index)


def test_in_the_master(device: Device) -> None:
    check(serially, device, np.ones(4), -2)
    with pytest.raises(IndexError, match=r"index 4 of `a\[k\]` .* \(test_faults.py, line \d+\)"):
        on_device(serially, device, np.ones(4), 4)


def test_overlapping_arguments_are_refused(device: Device) -> None:
    a = np.ones(9)
    with pytest.raises(SomdRuntimeError, match="SOMD309"):
        on_device(add, device, a[:5], a[2:7])


def test_iterations_kept_together_by_a_promise_run_in_order(any_device: Device) -> None:
    from types import ModuleType

    from somd.runtime.opencl.execute import OpenCLCall

    text = """
def method(y: dist[np.ndarray], row: Annotated[np.ndarray, dist, partition(ByKey)], v: dist[np.ndarray]):
    for i in range(len(row)):
        y[row[i]] = y[row[i]] * 0.5 + v[i]
"""
    names = {"Annotated": Annotated, "partition": partition, "ByKey": ByKey()}
    method = method_from(text, **names)
    y, row, v = np.ones(4), np.array([0, 0, 0, 1, 3, 3]), np.arange(6.0)
    expected = y.copy()
    method(expected, row, v)
    module = ModuleType("generated")
    exec(compile(module_text(code_of(method, y, row, v)), "module.py", "exec"), vars(module))
    OpenCLCall(module, "method", any_device, {1: ByKey()})((y, row, v), 3)
    assert y.tolist() == expected.tolist()


def test_a_module_of_its_own(any_device: Device) -> None:
    from types import ModuleType

    from somd.runtime.opencl.execute import OpenCLCall

    a, b = np.ones(4), np.arange(4.0)
    code = code_of(add, a, b)
    module = ModuleType("generated")
    exec(compile(module_text(code), "module.py", "exec"), vars(module))
    made = OpenCLCall(module, "add", any_device, {})
    assert code.kernels == module.KERNELS and made.written == (0,) and made.doubles
    made((a, b), 3)
    assert a.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_single_precision_needs_no_doubles() -> None:
    code = code_of(add, np.ones(4, np.float32), np.ones(4, np.float32))
    assert not code.doubles and "fp64" not in code.kernels
