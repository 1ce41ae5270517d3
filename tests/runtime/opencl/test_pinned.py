"""Large copies through pinned memory carry every byte to its place."""

from __future__ import annotations

import numpy as np
import pytest

from somd.runtime.opencl import Device, pinned
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.context import context_for


@pytest.mark.parametrize("size", [1, 7, 64, 65, 64 * 5 + 3])
def test_copies_in_pieces(size: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_for(device)
    monkeypatch.setattr(context, "_pieces", None)
    for name, value in (("APART", (device.info.kind,)), ("LARGE", 1), ("LEAST", 16), ("MOST", 64)):
        monkeypatch.setattr(pinned, name, value)
    source = np.random.default_rng(size).integers(0, 255, size, np.uint8)
    array = Managed(context, (size + 8,), np.uint8)
    array.fill(0)
    array.upload(source, 5)
    target = np.empty(size + 8, np.uint8)
    array.download(target)
    assert (target[5 : size + 5] == source).all()
    assert not target[:5].any()
    assert not target[size + 5 :].any()
    other = np.zeros((size, 2), np.uint8)
    array.download(other[:, 0], 5)
    assert (other[:, 0] == source).all()
    assert not other[:, 1].any()


@pytest.mark.usual(3)
def test_the_source_may_change_after_an_upload(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_for(device)
    monkeypatch.setattr(context, "_pieces", None)
    monkeypatch.setattr(pinned, "APART", (device.info.kind,))
    monkeypatch.setattr(pinned, "LARGE", 1)
    source = np.arange(3 * pinned.MOST // 8 + 5, dtype=np.int64)
    array = Managed(context, source.shape, np.int64)
    array.upload(source)
    source[:] = -1
    found = np.empty_like(source)
    array.download(found)
    assert (found == np.arange(len(found))).all()
