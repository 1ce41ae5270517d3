"""Arrays that are read across, which groups bring in by tiles: the bits of plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device, watch_launches, workgroups
from tests.differential import harness
from tests.transforms.opencl.test_packed import numbers

A = dist[np.ndarray]


@somd.somd
def turned(a: np.ndarray, y: A) -> None:
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = a[j, i]


@somd.somd
def columns_first(a: np.ndarray, y: A) -> None:
    """Of single precision beside double: tiles have 64 columns for the one, 32 for both."""
    for j in range(y.shape[1]):
        for i in range(y.shape[0]):
            y[i, j] = 2 * a[j, i] + a[j, i] * a[j, i]


@somd.somd
def conditional(a: np.ndarray, c: np.ndarray, y: A) -> None:
    """Backwards, inside an edge, beside elements that are not read across, and under a condition."""
    for i in range(1, y.shape[0] - 1):
        for j in range(y.shape[1] - 2, 0, -1):
            if a[i, j] > c[j - 1, i + 1]:
                y[i, j] = c[j - 1, i + 1] - a[i, j]


@somd.somd
def in_steps(a: np.ndarray, y: A) -> None:
    for i in range(0, y.shape[0], 2):
        for j in range(y.shape[1] - 1, -1, -3):
            y[i, j] = a[j, i] + i * j


@somd.somd
def in_place(y: A) -> None:
    """Reads what it writes, above the diagonal what lies below: nothing is brought in."""
    for i in range(y.shape[0]):
        for j in range(i + 1, y.shape[1]):
            y[i, j] = y[j, i]


@pytest.fixture
def with_tiles(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups bring in tiles."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    monkeypatch.setattr(workgroups, "QUICKER", 1 << 20)
    return quick_device


@pytest.mark.usual(2)
def test_the_bits_are_those_of_plain_python(with_tiles: Device) -> None:
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for n, m in ((70, 131), (1, 40), (33, 0)):
            a, y = numbers(m, n), np.ones((n, m))
            for method in (turned, columns_first, in_steps):
                harness.check(method, (a, y), "opencl", workers=(1,))
            harness.check(turned, (a.astype(np.float32), y), "opencl", workers=(1,))
        a, c = numbers(90, 90), numbers(90, 90)
        harness.check(conditional, (a, c, np.ones((90, 90))), "opencl", workers=(1,))
        harness.check(conditional, (c, c, np.ones((90, 90))), "opencl", workers=(1,))
        harness.check(in_place, (a,), "opencl", workers=(1,))
    names = [name for name, _ in seen]
    methods = ("turned", "columns_first", "in_steps", "conditional", "in_place")
    assert [names.count(f"{name}_1_turned") for name in methods] == [4, 2, 2, 2, 0]
