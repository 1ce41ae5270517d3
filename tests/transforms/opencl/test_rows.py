"""Arrays of each iteration in rows of global memory: in both layouts, and with fewer work-items than iterations."""

from __future__ import annotations

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device, rows
from tests.differential import harness


@somd.somd
def weighted(a: dist[np.ndarray], at: dist[np.ndarray], n: int) -> float:
    total = 0.0
    for i in range(len(a)):
        w = np.full(n, a[i])
        for k in range(n):
            w[k] *= k
        a[i] = w[at[i]]
    for i in range(len(a)):
        v = np.full(n, a[i])
        for k in range(1, n):
            v[k] += v[k - 1]
        total += v[n - 1]
    return total


def spec(device: Device) -> str:
    return f"{device.info.platform}:{device.index}"


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.usual(3)
def test_layouts(quick_device: Device, interleaved: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "INTERLEAVED", (quick_device.info.kind,) if interleaved else ())
    monkeypatch.setattr(rows, "ITEMS_ELSEWHERE", 3)
    monkeypatch.setattr(rows, "ITEMS_OF_A_UNIT", {})
    generator = np.random.default_rng(0)
    for count, n in ((0, 3), (1, 1), (200, 5)):
        args = generator.integers(-9, 9, count).astype(float), generator.integers(-n, n, count), n
        with somd.use(device=spec(quick_device)):
            harness.check(weighted, args, "opencl", workers=(1,))


def test_a_negative_length_and_an_index_outside(quick_device: Device) -> None:
    with somd.use(target="opencl", device=spec(quick_device)):
        with pytest.raises(ValueError, match=r"negative dimensions are not allowed: -1 in `np.full\(n, a\[i\]\)`"):
            weighted(np.ones(5), np.zeros(5, int), -1)
        with pytest.raises(IndexError, match=r"index 7 of `w\[at\[i\]\]` is out of bounds"):
            weighted(np.ones(5), np.full(5, 7), 3)
