"""Reductions of every operator: the results of plain Python where order does not matter, else those of multicore."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from somd.language.markers import dist
from somd.runtime.blocks import logical_blocks
from somd.runtime.multicore import partition, reductions
from somd.runtime.opencl import Device
from somd.runtime.opencl import reductions as host
from tests.devices import has_few
from tests.transforms.opencl.running import check, method_from, on_device

Array = np.ndarray
random = np.random.default_rng(11)


def tree_sum(values: list[np.ndarray], dtype: str, quantum: int) -> np.generic:
    """The sum of rows of terms in the fixed association: blocks of rows (or of terms, for one row), lanes, trees."""
    count = len(values[0]) if quantum == 32 else len(values)
    blocks, length = logical_blocks(count, quantum)
    partials = np.empty(blocks, dtype)
    for block in range(blocks):
        lanes = np.full(32, -0.0, dtype)
        part = slice(block * length, (block + 1) * length)
        for row in [values[0][part]] if quantum == 32 else values[part]:
            for k, term in enumerate(row):
                lanes[k % 32] += term
        partials[block] = reductions.reduce_sum(lanes)
    return reductions.reduce_sum(partials)


@pytest.mark.parametrize("count", [0, 1, 31, 33, 1000, 33_000])
def test_trips_and_trees_are_those_of_multicore(count: int) -> None:
    for start, stop, step in ((0, count, 1), (3, count, 7), (count, -2, -3)):
        assert host.trips(start, stop, step) == partition.trips(start, stop, step)
    partials = random.random(count)
    if count:
        assert host.reduce_sum(0.0, partials.copy()) == reductions.reduce_sum(partials.copy())
        assert host.reduce_product(1.0, partials.copy()) == reductions.reduce_product(partials.copy())


def total(a: dist[Array]):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


def grid_total(a: dist[Array], step: int):
    s = 1.0
    for i in range(a.shape[0]):
        for j in range(i % 2, a.shape[1], 2):
            s += a[i, j]
            a[i, j] = -a[i, j]
    return s


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("count", [0, 1, 40, 700])
def test_sum_has_the_fixed_association(device: Device, count: int, dtype: str) -> None:
    a = random.random(count).astype(dtype)
    found = on_device(total, device, a)
    assert found == (0.0 + tree_sum([a], dtype, 32) if count else 0.0)


def test_sum_over_a_grid(device: Device) -> None:
    a = random.random((9, 75))
    expected = 1.0 + tree_sum([row[k % 2 :: 2] for k, row in enumerate(a)], "float64", 1)
    b = a.copy()
    assert on_device(grid_total, device, b, 0) == expected
    assert np.array_equal(np.abs(b), a) and (b[0, ::2] < 0).all()


@pytest.mark.parametrize("name", ["total", "grid_total"])
def test_long_sums(quick_device: Device, name: str) -> None:
    if name == "total":
        a = random.random(70_000)
        assert on_device(total, quick_device, a) == tree_sum([a], "float64", 32)
    else:
        a = random.random((2100, 35))
        expected = 1.0 + tree_sum([row[k % 2 :: 2] for k, row in enumerate(a)], "float64", 1)
        assert on_device(grid_total, quick_device, a, 0) == expected


UPDATES = {
    "sum": "s = s + a[i]",
    "difference": "s -= a[i]",
    "product": "s *= a[i]",
    "min": "s = min(s, a[i])",
    "max": "s = max(s, a[i])",
    "if min": "if a[i] < s:\n            s = a[i]",
    "if max": "if s < a[i]:\n            s = a[i]",
    "and": "s &= a[i]",
    "or": "s |= a[i]",
    "xor": "s ^= a[i]",
    "bool and": "s = s and a[i] > 3",
    "bool or": "s = s or a[i] > 3",
    "count": "if a[i] > 2:\n            continue\n        s += 1",
}


#: one of each kind: arithmetic, extrema by a function and by a test, bits, truth values, a count
SOME = (
    ("difference", "int64"),
    ("if max", "float64"),
    ("min", "uint8"),
    ("xor", "bool"),
    ("bool or", "int32"),
    ("count", "float32"),
)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "int32", "bool", "float32", "float64"])
@pytest.mark.usual(3)
def test_operators(quick_device: Device, dtype: str) -> None:
    """Each update in a loop of its own, of one method: a driver takes long to begin with a program."""
    chosen = [name for name in UPDATES if _in_language(name, np.dtype(dtype).kind)]
    if has_few(quick_device):
        chosen = [name for name in chosen if (name, dtype) in SOME]
    starts = {"bool and": "True", "bool or": "False", "count": "0"}
    text = "def method(a: dist[np.ndarray]):\n"
    for k, name in enumerate(chosen):
        update = re.sub(r"\bs\b", f"s{k}", UPDATES[name])
        text += f"    s{k} = {starts.get(name, 'a[0]')}\n    for i in range(len(a)):\n        {update}\n"
    text += f"    return {', '.join(f's{k}' for k in range(len(chosen)))}\n"
    method = method_from(text)
    a = (random.random(75) * 5 + 1).astype(dtype)
    check(method, quick_device, a)
    check(method, quick_device, a[:1])


def _in_language(name: str, kind: str) -> bool:
    """Whether an update is in the language for elements of this kind; sums and products of floats are tested above."""
    arithmetic = name in ("sum", "difference", "product")
    bits = name in ("and", "or", "xor")
    return not (bits or arithmetic) if kind == "f" else bits or kind != "b"


def extrema(a: dist[Array]):
    low = math.inf
    high = -math.inf
    where = -1
    for i in range(len(a)):
        low = min(low, a[i])
        if a[i] > high:
            high = a[i]
            where = i
    return low, high, where


@pytest.mark.parametrize("special", [(), (0.0, -0.0), (-0.0, 0.0), (math.nan, 3.0), (math.inf, -math.inf), (7.0, 7.0)])
def test_the_first_of_equal_extrema_wins(device: Device, special: tuple[float, ...]) -> None:
    for sign in (1.0, -1.0):
        a = sign * (random.random(100) + 0.5)
        for k, value in enumerate(special):
            a[[70, 37][k]] = value
            a[[71, 5][k]] = value
        check(extrema, device, a)
    check(extrema, device, np.empty(0))
    check(extrema, device, np.full(3, math.nan))


def several(a: dist[Array], b: dist[Array]):
    count, top, even = 0, 0, True
    for i in range(a.shape[0]):
        for j in range(i, a.shape[1]):
            if a[i, j] == 3:
                continue
            count += a[i, j]
            top = max(top, a[i, j] * b[i])
            even = even and (i + j) % 2 == 0
    return count, top, even


def test_several_in_one_nest(device: Device) -> None:
    check(several, device, random.integers(0, 9, (6, 40)), random.integers(0, 9, 6))
    check(several, device, np.zeros((0, 5), int), np.zeros(0, int))
