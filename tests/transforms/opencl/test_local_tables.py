"""Tables in local memory, longer and shorter than there is room for, filled by all work-items of a group or by one; and
kernels of other forms, which compute what is looked up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from somd.runtime.opencl import Device
from somd.transforms.loops.program import Region, Table
from somd.transforms.loops.walking import expressions_in
from somd.transforms.opencl import local_tables
from somd.transforms.opencl.local_tables import shared_out, without_tables
from somd.transforms.passes.precompute import precompute
from tests.transforms.opencl.running import check, code_of, method_from
from tests.transforms.passes.mutation import case
from tests.transforms.passes.test_precompute import ELEMENTS, GRID, RECURRENCE, STRIDED, tabled

METHOD = """
def method(a: dist[np.ndarray], g: dist[np.ndarray], c: np.ndarray, n: int, out: np.ndarray):
    for i in range(len(a)):
        x = 0.5
        for k in range(n):
            x = x * 0.75 + k
            a[i] = a[i] + np.exp(-x)
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            for k in range(2, n):
                g[i, j] = g[i, j] * 0.5 + np.exp(-0.25 * k)
    s = 0.0
    for i in range(len(a)):
        for k in range(1, len(c)):
            s += a[i] * np.exp(-c[k] * c[k - 1])
    out[0] = s
"""


@pytest.mark.parametrize("room", [64, 1 << 14])
@pytest.mark.usual(3)
def test_bits_are_those_of_the_loop(device: Device, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_tables, "MOST_LOCAL", room)
    if device.info.is_pocl and room > 64:
        pytest.skip("the same kernels")
    method, c = method_from(METHOD), np.linspace(0.0, 2.0, 13)
    for count, n in ((40, 11), (3, 11), (40, 0), (1, 1), (0, 5)):
        a, g = np.linspace(-1.0, 1.0, count), np.linspace(0.0, 1.0, 5 * count).reshape(5, count)
        check(method, device, a, g, c[: n + 1].copy(), n, np.zeros(1), rtol=1e-13)
    assert code_of(method, a, g, c, 3, np.zeros(1)).kernels.count("__local double table_[") == 3


HANDED_ON = """
def handed_on(a: A, steps: int):
    for i in range(len(a)):
        x = 0.5
        for k in range(steps):
            x = x * 0.75 + k
            a[i] = a[i] + np.exp(-x)
"""


def made(text: str, **given: object) -> list[Table]:
    """The tables of a method."""
    program = precompute(case(text, **given).program)
    return [table for node in program.body if isinstance(node, Region) for table in node.tables]


def filled(text: str, **given: object) -> list[bool]:
    """Whether the work-items of a group share each table out."""
    return [shared_out(table) is not None for table in made(text, **given)]


def test_what_hands_something_on_is_filled_by_one() -> None:
    a, c = np.ones(3), np.ones(5)
    assert filled(RECURRENCE, a=a, steps=6) == [False]
    assert filled(STRIDED, a=a, steps=9) == [False, False]
    assert filled(ELEMENTS, a=a, c=c, out=a.copy()) == [False]
    [table] = made(HANDED_ON, a=a, steps=6)
    assert shared_out(table) is None and shared_out(replace(table, body=table.body[1:])) is None
    assert filled(GRID, a=np.ones((2, 2)), c=c) == [True]


def test_what_is_looked_up_is_computed_elsewhere() -> None:
    for each in tabled():
        for node in precompute(each.program).body:
            if isinstance(node, Region):
                made = without_tables(node)
                names = {table.array for table in node.tables}
                assert names and not made.tables
                assert names.isdisjoint(getattr(part, "array", "") for part in expressions_in(made.body))
