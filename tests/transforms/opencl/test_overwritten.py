"""Arrays that a method makes of zeros: they are filled where a phase leaves elements as they are."""

from __future__ import annotations

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device
from somd.runtime.opencl.arrays import Managed
from tests.differential import harness
from tests.transforms.opencl.test_packed import numbers

A = dist[np.ndarray]


@somd.somd
def fresh(x: A, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All elements of `whole` are stored; of the others some are not, or are read."""
    whole = np.zeros(len(x))
    part = np.zeros(len(x))
    some = np.zeros(len(x))
    added = np.ones(len(x))
    for i in range(len(x)):
        whole[i] = 2.0 * x[i]
    for i in range(n):
        part[i] = x[i]
    for i in range(len(x)):
        if x[i] > 0.5:
            some[i] = x[i]
        added[i] += x[i]
    return whole, part, some, added


def test_only_what_is_left_is_filled(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[tuple[int, ...]] = []
    fill = Managed.fill
    monkeypatch.setattr(Managed, "fill", lambda self, value: (filled.append(self.shape), fill(self, value))[1])
    with somd.use(device=f"{quick_device.info.platform}:{quick_device.index}"):
        for n, count in ((29, 3), (40, 2)):
            filled.clear()
            harness.check(fresh, (numbers(40), n), "opencl", workers=(1,))
            assert len(filled) == count
